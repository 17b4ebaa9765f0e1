// A run that is stopped or fails, and one that does not exist.
import { getDevice, getRun, listEvents, runWhenEnded } from "../fixtures/api";
import { runningEndless } from "../fixtures/endless";
import { crashCoreOf } from "../fixtures/host";
import { expect, test } from "../fixtures/test";

test("a run is stopped after asking, and the device is given back", async ({ page, sandbox }) => {
  const run = await runningEndless(sandbox);
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("button", { name: "Stop this run" }).click();
  const dialog = page.getByRole("dialog", { name: `Stop run ${run.id}?` });
  await dialog.getByRole("button", { name: `Stop run ${run.id}` }).click();
  await expect(page).toHaveTitle(`Run ${run.id} canceled · Patina`);
  await expect(page.getByRole("button", { name: "Stop this run" })).toBeHidden();
  expect((await getRun(run.id)).state).toBe("canceled");
  await expect.poll(async () => (await getDevice(sandbox.id)).state).toBe("available");
});

test("a run whose core crashes shows its code, its message, and the way to the device", async ({
  page,
  sandbox,
}) => {
  const run = await runningEndless(sandbox);
  await page.goto(`/runs/${run.id}`);
  await expect(page.getByRole("status", { name: "Event stream" })).toContainText("live");
  await crashCoreOf(run.id);
  const failure = page.getByRole("alert", { name: "Failure" });
  await expect(failure).toBeVisible();
  const ended = await runWhenEnded(run.id);
  expect(ended.state).toBe("failed");
  await expect(failure).toContainText(ended.error_code ?? "no code");
  await expect(failure).toContainText(ended.message);
  const events = await listEvents(run.id);
  await expect(page.getByRole("status", { name: "Event stream" })).toContainText(
    `of ${events.at(-1)?.sequence} events, complete`,
  );
  await failure.getByRole("link", { name: "Go to the devices" }).click();
  const card = page.getByRole("article", { name: sandbox.path ?? "", exact: true });
  await expect(card.getByText("available")).toBeVisible();
});

test("a finished run opened later looks the same and is complete", async ({ page, aged }) => {
  expect(aged.run).toMatchObject({ state: "succeeded", stop_reason: "converged" });
  await page.goto(`/runs/${aged.run.id}`);
  await expect(page.getByRole("heading", { name: `Run ${aged.run.id}` })).toBeVisible();
  const events = await listEvents(aged.run.id);
  await expect(page.getByRole("status", { name: "Event stream" })).toContainText(
    `of ${events.at(-1)?.sequence} events, complete`,
  );
  for (const title of ["Size", "Depth", "Age", "RMSE", "Fullness", "Pace", "Free extents"]) {
    await expect(page.getByRole("figure", { name: title, exact: true })).toBeVisible();
  }
  await page.getByRole("button", { name: "RMSE: view as table" }).click();
  await expect(page.getByRole("region", { name: "RMSE, as a table" }).getByRole("row").nth(1)).toBeVisible();
});

test("a run that never was says so and leads on", async ({ page }) => {
  await page.goto("/runs/999999999");
  await expect(page.getByRole("alert")).toContainText("There is no run 999999999.");
  await page.goto("/runs/nonsense");
  await page.getByRole("link", { name: "Go to the devices" }).click();
  await expect(page.getByRole("heading", { name: "Devices", exact: true })).toBeVisible();
});
