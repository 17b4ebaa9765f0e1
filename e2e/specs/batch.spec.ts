// Several devices aged together, and several runs compared, live and ended.
import type { Page } from "@playwright/test";
import {
  getBatch,
  imageOf,
  makeSandbox,
  MIB,
  removeSandbox,
  runWhenEnded,
  runWhenSampled,
  sandboxes,
  type Device,
  type Run,
} from "../fixtures/api";
import { endlessProfile, startEndless } from "../fixtures/endless";
import { makeEmulated } from "../fixtures/emulated";
import { look } from "../fixtures/look";
import { downloadBy } from "../fixtures/saved";
import { expect, SANDBOX_BYTES, test as base } from "../fixtures/test";

interface Pair {
  devices: readonly Device[];
}

const test = base.extend<{ pair: Pair; emulated: Device }>({
  emulated: async ({}, use) => {
    const device = await makeEmulated();
    await use(device);
    await removeSandbox(device.id);
  },
  pair: async ({}, use) => {
    const made = [await makeSandbox(SANDBOX_BYTES), await makeSandbox(SANDBOX_BYTES)].map(({ id }) => id);
    // In the order of the page, which is that of their paths.
    await use({ devices: (await sandboxes()).filter(({ id }) => made.includes(id)) });
    for (const id of made) await removeSandbox(id);
  },
});

/** The name of a run in the comparison of the ended batch: its runs differ by the size of their devices alone. */
const sizeOf = ({ device }: Run) => `${device.size_bytes / MIB} MiB`;
const plots = ["RMSE of the ages", "Fullness", "Pace", "Free extents"];

async function loaded(page: Page, at: string): Promise<void> {
  await page.goto(at);
  await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
}

test("two devices are chosen, aged together, compared while they age, and stopped together", async ({
  page,
  pair: { devices },
}) => {
  const { title } = await endlessProfile();
  // A batch compares file systems: each device has another, as far as it can.
  const names = (device: Device) =>
    device.file_systems
      .filter((offer) => offer.why_missing === null && offer.least_device_bytes <= device.size_bytes)
      .map(({ name }) => name);
  const expected = devices.map((device, index) => names(device)[index]);
  await page.goto("/devices");
  await page.getByRole("button", { name: "Age several devices…" }).click();
  const bar = page.getByRole("region", { name: "Chosen devices" });
  await expect(bar.getByRole("button", { name: "Age devices" })).toBeDisabled();
  await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(0);
  for (const { path } of devices) {
    await page.getByRole("checkbox", { name: `Choose ${path}`, exact: true }).focus();
    await page.keyboard.press("Space");
  }
  await bar.getByRole("button", { name: "Age 2 devices" }).click();
  const dialog = page.getByRole("dialog", { name: "Age 2 devices" });
  await expect(dialog.getByRole("region", { name: "Forecast" })).toContainText("computed, not measured");
  const blank = dialog.getByText(/^All data on .* will be destroyed\. They are blank/);
  for (const [index, { path }] of devices.entries()) {
    const member = dialog.getByRole("region", { name: path ?? "", exact: true });
    await expect(blank).toContainText(path ?? "");
    const field = member.getByRole("combobox", { name: `File system on ${path}` });
    await expect(field).toHaveValue(expected[index] ?? "");
  }
  await expect(blank).toHaveCount(1);
  const options = { name: `Added mkfs options on ${devices[0]?.path}` };
  await dialog.getByText("Options of mkfs and mount").first().click();
  await dialog.getByRole("textbox", options).fill("-i 8192");
  await expect(dialog.getByRole("button", { name: /^Age 2 devices to/ })).toBeInViewport();
  await dialog.getByRole("combobox", { name: "Profile" }).click();
  await page.getByRole("option", { name: title }).click();
  await dialog.getByRole("button", { name: /^Age 2 devices to .*, 70 %$/ }).click();

  await expect(page).toHaveURL(/\/batches\/\d+$/);
  const batch = await getBatch(Number(page.url().split("/").at(-1)));
  expect(batch.runs.map(({ device }) => device.id).sort()).toEqual(devices.map(({ id }) => id).sort());
  for (const [index, { id }] of devices.entries()) {
    const own = batch.runs.find(({ device }) => device.id === id);
    expect(own?.file_system).toBe(expected[index]);
    expect(own?.added_mkfs_options).toBe(index === 0 ? "-i 8192" : "");
  }
  for (const { id } of batch.runs) await runWhenSampled(id);
  const figures = page.getByRole("table", { name: "Figures of the runs" });
  for (const { id, file_system } of batch.runs) {
    await expect(figures.getByRole("link", { name: `Run ${id}`, exact: true })).toBeVisible();
    await expect(page.getByRole("figure", { name: `Age, ${file_system}`, exact: true })).toBeVisible();
    await expect(
      figures.getByRole("progressbar", { name: `Progress of run ${id}`, exact: true }),
    ).toBeVisible();
    // The plot updates live: its label contains the newest value of each run.
    const plot = page.getByRole("img", { name: /^RMSE of the ages over operations/ });
    await expect(plot).toHaveAccessibleName(new RegExp(`${file_system} [0-9.]+ %`));
  }
  await page.getByRole("button", { name: "Stop all runs" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop 2 runs" }).click();
  for (const { id } of batch.runs) expect((await runWhenEnded(id)).state).toBe("canceled");
  await expect(figures.getByText("canceled").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop all runs" })).toBeHidden();
});

test("of an emulated and another device, each image keeps what is usual for its device", async ({
  page,
  sandbox,
  emulated,
}) => {
  const usual = new Map([
    [sandbox.id, "allocated"],
    [emulated.id, "metadata"],
  ]);
  await page.goto("/devices");
  await page.getByRole("button", { name: "Age several devices…" }).click();
  for (const { path } of [sandbox, emulated])
    await page.getByRole("checkbox", { name: `Choose ${path}`, exact: true }).check();
  await page.getByRole("button", { name: "Age 2 devices" }).click();
  const dialog = page.getByRole("dialog", { name: "Age 2 devices" });
  await expect(dialog.getByRole("combobox", { name: "The image keeps" })).toHaveValue("By device");
  await expect(dialog.getByText(/^No contents of emulated disks/)).toBeVisible();
  await dialog.getByRole("textbox", { name: "Fullness" }).fill("10");
  await dialog.getByRole("button", { name: /^Age 2 devices to/ }).click();
  await expect(page).toHaveURL(/\/batches\/\d+$/);
  const { runs } = await getBatch(Number(page.url().split("/").at(-1)));
  for (const { id, device } of runs) {
    const run = await runWhenEnded(id);
    expect(run.state, run.message).toBe("succeeded");
    expect((await imageOf(id)).recipe.capture_mode).toBe(usual.get(device.id));
  }
});

test("one refused device keeps the others from being started, and is named", async ({
  page,
  pair: { devices },
}) => {
  await page.goto("/devices");
  await page.getByRole("button", { name: "Age several devices…" }).click();
  for (const { path } of devices)
    await page.getByRole("checkbox", { name: `Choose ${path}`, exact: true }).check();
  await page.getByRole("button", { name: "Age 2 devices" }).click();
  const dialog = page.getByRole("dialog", { name: "Age 2 devices" });
  await expect(dialog.getByRole("region", { name: "Forecast" })).toContainText("computed, not measured");
  const [first, second] = devices;
  if (first === undefined || second === undefined) throw new Error("the fixture makes two devices");
  const run = await startEndless(second);
  await dialog.getByRole("button", { name: /^Age 2 devices to/ }).click();
  const refusal = dialog.getByRole("alert");
  await expect(refusal).toContainText("No run was started");
  await expect(refusal).toContainText(`${second.path}: `);
  await expect(refusal).toContainText(`run ${run.id}`);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  const card = page.getByRole("article", { name: first.path ?? "", exact: true });
  await expect(card.getByText("available")).toBeVisible();
});

test("runs chosen in the list are compared, and a reload keeps the comparison", async ({ page, ended }) => {
  const [first, second] = ended.runs;
  if (first === undefined || second === undefined) throw new Error("a batch has two runs");
  await loaded(page, `/runs/${first.id}`);
  await page.getByRole("link", { name: "Compare with…" }).click();
  await expect(page.getByRole("checkbox", { name: `Choose run ${first.id}`, exact: true })).toBeChecked();
  await expect(page.getByRole("link", { name: `batch ${ended.id}`, exact: true })).toHaveCount(2);
  await page.getByRole("checkbox", { name: `Choose run ${second.id}`, exact: true }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("link", { name: "Compare 2 runs" }).click();
  const title = `Compare runs ${first.id} and ${second.id}`;
  await expect(page.getByRole("heading", { name: title })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: title })).toBeVisible();
  for (const name of plots) await expect(page.getByRole("figure", { name })).toBeVisible();
  for (const run of ended.runs)
    for (const name of ["Size", "Depth", "Age"])
      await expect(page.getByRole("figure", { name: `${name}, ${sizeOf(run)}`, exact: true })).toBeVisible();
});

test("figures that differ are marked, others can be left away; plots are kept as files", async ({
  page,
  ended,
}) => {
  await loaded(page, `/batches/${ended.id}`);
  const figures = page.getByRole("table", { name: "Figures of the runs" });
  await expect(figures.getByRole("row", { name: /^Device size.*differs/ })).toBeVisible();
  await expect(figures.getByRole("row", { name: /^Seed/ })).toBeHidden();
  await expect(figures.getByRole("row", { name: /^Layout score/ })).toContainText(/[01]\.\d{3}/);
  await expect(figures.getByRole("row", { name: /^Image/ }).getByRole("link")).toHaveCount(2);
  await page.getByRole("switch", { name: "Show equal settings" }).check();
  await expect(figures.getByRole("row", { name: /^Seed/ })).toBeVisible();
  await expect(figures.getByRole("row", { name: /^Seed/ })).not.toContainText("differs");
  await page.getByRole("button", { name: "RMSE of the ages over operations: export" }).click();
  const saved = await downloadBy(page, () => page.getByRole("menuitem", { name: "Numbers, CSV" }).click());
  expect(saved.suggestedFilename()).toBe("rmse-of-the-ages-over-operations.csv");
});

test("a plot says what every run had under the pointer", async ({ page, ended }) => {
  await loaded(page, `/batches/${ended.id}`);
  const figure = page.getByRole("figure", { name: "Fullness" });
  await expect(figure.getByRole("button", { name: /export$/ })).toBeVisible();
  const plot = figure.getByRole("img");
  await plot.scrollIntoViewIfNeeded();
  await plot.hover({ position: { x: 150, y: 120 } });
  await expect(figure.getByText(/^at [\d.]+( [kM])?$/)).toBeVisible();
  for (const run of ended.runs)
    await expect(figure.getByRole("listitem").filter({ hasText: sizeOf(run) })).toContainText("%");
});

test("addresses that name no comparison say why, and lead on", async ({ page, ended }) => {
  const [first] = ended.runs;
  await page.goto("/runs/compare");
  await expect(page.getByRole("heading", { name: "No runs chosen" })).toBeVisible();
  await page.goto(`/runs/compare?ids=${first?.id}`);
  await page.getByRole("link", { name: `Choose runs to compare with run ${first?.id}`, exact: true }).click();
  await expect(page.getByRole("checkbox", { name: `Choose run ${first?.id}`, exact: true })).toBeChecked();
  await page.goto("/runs/compare?ids=1,2,3,4,5,6,7");
  await expect(page.getByRole("link", { name: "Compare the first 6" })).toBeVisible();
  await page.goto("/runs/compare?ids=1,last");
  await expect(page.getByRole("heading", { name: "“last” is not a run number" })).toBeVisible();
  await loaded(page, `/runs/compare?ids=${first?.id},999999999`);
  await expect(page.getByRole("alert")).toContainText("There is no run 999999999.");
  await page.getByRole("button", { name: "Leave run 999999999 out" }).click();
  await expect(
    page.getByRole("heading", { name: `Run ${first?.id} needs another run to compare with` }),
  ).toBeVisible();
  await page.goto("/batches/999999999");
  await expect(page.getByRole("alert")).toContainText("There is no batch 999999999.");
});

test("the comparison is accessible and fits, dark and light, wide and narrow", async ({ page, ended }) => {
  await loaded(page, `/batches/${ended.id}`);
  await expect(page.getByRole("figure", { name: "Free extents" })).toBeVisible();
  await look(page, "batch");
  await page.goto(`/runs?chosen=${ended.runs.map(({ id }) => id).join()}`);
  await expect(page.getByRole("link", { name: "Compare 2 runs" })).toBeVisible();
  await look(page, "runs-chosen");
});

test("choosing and aging several devices is accessible and fits", async ({ page, ended }) => {
  await page.goto("/devices");
  await page.getByRole("button", { name: "Age several devices…" }).click();
  for (const { device } of ended.runs)
    await page.getByRole("checkbox", { name: `Choose ${device.path}`, exact: true }).check();
  await look(page, "devices-chosen");
  await page.getByRole("button", { name: "Age 2 devices" }).click();
  const forecast = page.getByRole("region", { name: "Forecast" });
  await expect(forecast.getByText("Critical age bin")).toBeVisible();
  await look(page, "batch-age");
});
