// The place of a run: the chosen file system, and memory in place of the device.
import type { Page } from "@playwright/test";
import {
  getRun,
  imageOf,
  makeSandbox,
  MIB,
  removeSandbox,
  runWhenEnded,
  type Device,
  type Run,
} from "../fixtures/api";
import { expect, SANDBOX_BYTES, test } from "../fixtures/test";

const made: number[] = [];

test.afterEach(async () => {
  for (const device_id of made.splice(0)) await removeSandbox(device_id);
});

async function openDialog(page: Page, device: Device) {
  await page.goto("/devices?profile=agrawal"); // not the one that was used last
  const card = page.getByRole("article", { name: device.path ?? "", exact: true });
  await card.getByRole("button", { name: `Age ${device.path}`, exact: true }).click();
  return page.getByRole("dialog", { name: `Age ${device.path}` });
}

async function startedRun(page: Page, device: Device): Promise<Run> {
  await page.getByRole("button", { name: `Age ${device.path} to` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  return getRun(Number(new URL(page.url()).pathname.split("/").at(-1)));
}

test("a device is aged with xfs, and one too small for it is not offered it", async ({ page }) => {
  const sandbox = await makeSandbox(320 * MIB);
  made.push(sandbox.id);
  const dialog = await openDialog(page, sandbox);
  await dialog.getByRole("combobox", { name: "File system" }).click();
  await page.getByRole("option", { name: "xfs" }).click();
  const run = await startedRun(page, sandbox);
  expect(run.file_system).toBe("xfs");
  await expect(page.getByText(`xfs on ${sandbox.path}`)).toBeVisible();

  const small = await makeSandbox(128 * MIB);
  made.push(small.id);
  const other = await openDialog(page, small);
  await other.getByRole("combobox", { name: "File system" }).click();
  await expect(page.getByRole("option", { name: "xfs: from 300 MiB" })).toBeDisabled();
  await expect(page.getByRole("option", { name: "btrfs" })).toBeEnabled();
  await expect(other.getByRole("switch", { name: "Age in memory first" })).toBeHidden();
});

test("a file system that the kernel of the host lacks is shown with that reason", async ({ page }) => {
  const sandbox = await makeSandbox(160 * MIB);
  made.push(sandbox.id);
  const lacked = sandbox.file_systems.filter(({ why_missing }) => why_missing !== null);
  test.skip(lacked.length === 0, "this host has every file system");
  const dialog = await openDialog(page, sandbox);
  await dialog.getByRole("combobox", { name: "File system" }).click();
  for (const { name, why_missing } of lacked) {
    expect(why_missing).toBe(`this host's kernel lacks ${name}`);
    await expect(page.getByRole("option", { name: `${name}: ${why_missing}` })).toBeDisabled();
  }
});

test("a device is aged with a mix of operations and files that can be read, as the recipe says", async ({
  page,
}) => {
  const sandbox = await makeSandbox(SANDBOX_BYTES);
  made.push(sandbox.id);
  const dialog = await openDialog(page, sandbox);
  await expect(dialog.getByRole("combobox", { name: "Data" })).toHaveValue("Files can be read");
  await dialog.getByText("More", { exact: true }).click();
  await dialog.getByRole("textbox", { name: "Appends" }).fill("10");
  await dialog.getByRole("textbox", { name: "Truncations" }).fill("10");
  await dialog.getByRole("textbox", { name: "Stop after" }).fill("2");
  await expect(dialog.getByRole("textbox", { name: "Writers" })).toBeDisabled();
  await expect(dialog.getByText("More (3 changed)")).toBeVisible();
  const run = await startedRun(page, sandbox);
  expect(run).toMatchObject({ append_fraction: 0.1, truncate_fraction: 0.1, data_mode: "materialize" });
  await expect(page.getByText("Truncations: 10 %")).toBeVisible();
  const ended = await runWhenEnded(run.id);
  expect(ended.state, ended.message).toBe("succeeded");
  expect(ended.summary?.modification_ops_count).toBeGreaterThan(0);
  const image = await imageOf(run.id);
  expect(image.is_readable).toBe(true);
  await page.goto(`/images/${image.id}`);
  await expect(page.getByText("Appends", { exact: true })).toBeVisible();
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("link", { name: "Run it again" }).click();
  await page.getByRole("button", { name: `Age ${sandbox.path}`, exact: true }).click();
  await expect(page.getByText("More (4 changed)")).toBeVisible();
});

test("a device is aged in memory first, and then holds the image", async ({ page }) => {
  const device = await makeSandbox(SANDBOX_BYTES, "file");
  made.push(device.id);
  const dialog = await openDialog(page, device);
  await dialog.getByRole("switch", { name: "Age in memory first" }).click();
  const run = await startedRun(page, device);
  expect(run.in_memory).toBe(true);
  const steps = page.getByRole("region", { name: "Progress" }).getByRole("listitem");
  await expect(steps).toHaveCount(5);
  await expect(steps.last()).toContainText("Restore");
  const ended = await runWhenEnded(run.id);
  expect(ended).toMatchObject({ state: "succeeded", phase: "restore", recipe: { in_memory: true } });
  await expect(page.getByRole("link", { name: "Open the image" })).toBeVisible();
  await expect(page.getByText("read back and compared").first()).toBeVisible();
});
