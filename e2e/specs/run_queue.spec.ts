// A run that waits for its device: what is ahead of it, and stopping it alone.
import { cancelRun, getRun, startRun } from "../fixtures/api";
import { pausedEndless } from "../fixtures/endless";
import { look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

test("a queued run says what is ahead of it, and stopping it speaks of it and stops it alone", async ({
  page,
  sandbox,
}) => {
  const first = await pausedEndless(sandbox);
  const second = await startRun(sandbox, "agrawal", 0.7, { waits: true });
  const third = await startRun(sandbox, "agrawal", 0.7, { waits: true });
  await page.goto(`/runs/${third.id}`);
  const queue = page.getByRole("region", { name: "Queue" });
  await expect(queue).toContainText(`Run ${third.id} is 2nd in the queue of ${sandbox.path}`);
  await expect(queue).toContainText(`Expected start: unknown, because run ${first.id} is paused.`);
  const ahead = queue.getByRole("list", { name: "Ahead of this run" }).getByRole("listitem");
  await expect(ahead).toHaveText([
    `run ${first.id} has the device and is paused`,
    `run ${second.id} waits before it`,
  ]);
  await look(page, "run-queued");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Stop this run" }).click();
  const dialog = page.getByRole("dialog", { name: `Stop run ${third.id}?` });
  await expect(dialog).toContainText(`Run ${third.id} has not begun. It leaves the queue of ${sandbox.path}`);
  await dialog.getByRole("button", { name: "Keep it queued" }).click();
  await expect(dialog).toBeHidden();
  await cancelRun(second.id);
  await expect(queue).toContainText(`Run ${third.id} is 1st in the queue`);
  await page.getByRole("button", { name: "Stop this run" }).click();
  await dialog.getByRole("button", { name: `Stop run ${third.id}` }).click();
  await expect(page).toHaveTitle(`Run ${third.id} canceled · Patina`);
  await expect(queue).toBeHidden();
  expect((await getRun(first.id)).state).toBe("paused");
  await page.goto(`/runs/${first.id}`);
  await page.getByRole("button", { name: "Stop this run" }).click();
  const other = page.getByRole("dialog", { name: `Stop run ${first.id}?` });
  await expect(other).toContainText(`Run ${first.id} stops aging ${sandbox.path} now`);
});
