// The whole workflow: from a sandbox device to its image in the catalog, through a reload and a restart of the API.
import {
  changeConditions,
  expectNoHole,
  getRun,
  imageOf,
  listEvents,
  MIB,
  removeSandbox,
  sandboxes,
} from "../fixtures/api";
import { endlessProfile } from "../fixtures/endless";
import { restartApi } from "../fixtures/host";
import { expect, test } from "../fixtures/test";

const made: number[] = [];

test.afterEach(async () => {
  for (const device_id of made.splice(0)) await removeSandbox(device_id);
});

test("a device is made, aged with one click, watched, and found as an image; nothing is lost on the way", async ({
  page,
}) => {
  const { title } = await endlessProfile();
  const before = (await sandboxes()).map(({ id }) => id);

  await page.goto("/devices");
  await page.getByRole("button", { name: "Make a sandbox device" }).click();
  const form = page.getByRole("dialog", { name: "Make a sandbox device" });
  await form.getByRole("textbox", { name: "Size" }).fill("80");
  await form.getByText("MiB", { exact: true }).click();
  await form.getByText("In memory").click();
  await form.getByRole("button", { name: "Make sandbox device" }).click();
  const card = page.getByRole("article").filter({ hasText: "Sandbox in memory, 80 MiB" });
  await expect(card.getByText("available")).toBeVisible();
  const device = (await sandboxes()).find(({ id }) => !before.includes(id));
  expect(device).toMatchObject({ size_bytes: 80 * MIB, state: "available" });
  made.push(device?.id ?? 0);

  await card.getByRole("button", { name: `Age ${device?.path}`, exact: true }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Profile" }).click();
  await page.getByRole("option", { name: title }).click();
  await page.getByRole("button", { name: `Age ${device?.path} to ${title}, 70 %` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  const run_id = Number(new URL(page.url()).pathname.split("/").at(-1));

  const stream = page.getByRole("status", { name: "Event stream" });
  const operations = page.getByLabel("Figures of this run").getByRole("definition").first();
  await expect(page.getByRole("progressbar", { name: "Aged" })).not.toHaveAttribute("aria-valuenow", "0");
  const first = await operations.innerText();
  await expect(operations).not.toHaveText(first);
  await expect(stream).toContainText("live");

  await page.reload();
  await expect(stream).toContainText("live");
  const atReload = await operations.innerText();
  await expect(operations).not.toHaveText(atReload);

  await restartApi();
  expect((await getRun(run_id)).state).toBe("running");
  await expect(stream).toContainText("live");
  const atRestart = await operations.innerText();
  await expect(operations).not.toHaveText(atRestart);

  // From here on the run may end: before, it had to be running even on a slow page.
  await changeConditions(run_id, { max_rmse: 0.2 });
  await expect(page.getByRole("link", { name: "Open the image" })).toBeVisible();
  const events = await listEvents(run_id);
  const samples = events.filter(({ payload }) => payload.type === "sample");
  expectNoHole(events);
  await expect(stream).toContainText(`of ${events.at(-1)?.sequence} events, complete`);
  await expect(page.getByText(`${samples.length} samples`)).toBeVisible();

  const run = await getRun(run_id);
  const image = await imageOf(run_id);
  expect(run).toMatchObject({
    state: "succeeded",
    stop_reason: "accuracy_reached",
    device: { id: device?.id },
  });
  expect(Math.abs((run.summary?.fullness ?? 0) - 0.7)).toBeLessThan(0.01);

  await page.getByRole("link", { name: "Images" }).click();
  await page.getByRole("link", { name: image.name, exact: true }).click();
  await expect(page.getByRole("heading", { name: image.name })).toBeVisible();
  await expect(page.getByText(image.index_digest, { exact: true })).toBeVisible();
});
