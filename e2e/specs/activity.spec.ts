// The panel Activity: all jobs of all hosts, over any page.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beginImport, cancelOpenIntakes, startScan } from "../fixtures/api";
import { expect, test } from "../fixtures/test";

const prefix = `e2e-${Date.now().toString(36)}`;

test.afterEach(cancelOpenIntakes);

test("an abandoned import is stopped from any page", async ({ page }) => {
  const intake = await beginImport(`${prefix}-left`);
  await page.goto("/profiles");
  await page.getByRole("link", { name: "Activity" }).click();
  const panel = page.getByRole("dialog", { name: "Activity" });
  const row = panel.getByRole("listitem", { name: `Import ${intake.id}` });
  await expect(row).toContainText(`${prefix}-left`);
  await expect(row).toContainText("uploading");
  await row.getByRole("button", { name: `Stop: Import ${intake.id}` }).click();
  await expect(row).toContainText("canceled");
  await expect(row.getByRole("button")).toHaveCount(0);
  await page.reload();
  await expect(row).toContainText("Canceled before all of it was sent");
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await expect(page).toHaveURL(/\/profiles$/);
});

test("a scan of a directory that was missing succeeds when it is tried again", async ({ page }) => {
  const folder = join(process.env["PATINA_TREES"] ?? "", prefix);
  const scan = await startScan(folder);
  await page.goto(`/runs?activity=${scan.id}`);
  const row = page
    .getByRole("dialog", { name: "Activity" })
    .getByRole("listitem", { name: `Scan ${scan.id}` });
  await expect(row).toHaveAttribute("aria-current", "true");
  await expect(row).toContainText(folder);
  await expect(row.getByRole("alert")).toContainText(folder);
  await mkdir(folder);
  await writeFile(join(folder, "file"), "x".repeat(5000));
  await row.getByRole("button", { name: `Try again: Scan ${scan.id}` }).click();
  await expect(row).toContainText("succeeded");
  await expect(row).toContainText("attempt 2");
  await expect(row).toContainText("1 files in 1 directories");
});

test("the list shows only what is asked for, with older jobs below", async ({ page, aged, ended }) => {
  await page.goto("/images");
  await page.getByRole("link", { name: "Activity" }).press("Enter");
  const panel = page.getByRole("dialog", { name: "Activity" });
  const jobs = panel.getByRole("list", { name: "Jobs" });
  await panel.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Run" }).click();
  await panel.getByRole("combobox", { name: "Device" }).click();
  await page.getByRole("option", { name: aged.device.path ?? "" }).click();
  await expect(jobs.getByRole("link", { name: `Run ${aged.run.id}` })).toBeVisible();
  for (const run of ended.runs)
    await expect(jobs.getByRole("link", { name: `Run ${run.id}`, exact: true })).toHaveCount(0);
  await jobs.getByRole("link", { name: `Run ${aged.run.id}` }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${aged.run.id}$`));
  await expect(panel).toHaveCount(0);
});
