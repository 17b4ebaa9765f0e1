// The list of runs: a table with orders, filters in the address, batches, names and tags, and the archive.
import type { Page } from "@playwright/test";
import { cancelRun, startRun } from "../fixtures/api";
import { look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

const rowOf = (page: Page, run_id: number) =>
  page
    .getByRole("table", { name: "Runs" })
    .getByRole("row")
    .filter({
      has: page.getByRole("link", { name: `Run ${run_id}`, exact: true }),
    });
const numbers = (page: Page) =>
  page.getByRole("table", { name: "Runs" }).getByRole("link", { name: /^Run \d+$/ });

test("a row shows what a run is, and a column orders the list in both directions", async ({
  page,
  ended,
}) => {
  const [small, large] = ended.runs.toSorted((a, b) => a.device.size_bytes - b.device.size_bytes);
  if (small === undefined || large === undefined) throw new Error("a batch has two runs");
  await page.goto(`/runs?batch_id=${ended.id}`);
  const row = rowOf(page, small.id);
  for (const text of ["ext4", "128 MiB", String(small.seed), "when converged", "Agrawal 2007 at 70 %"])
    await expect(row).toContainText(text);
  await page.getByRole("button", { name: "Order by size" }).click();
  await expect(page).toHaveURL(/sort=size/);
  await expect(numbers(page)).toHaveText([`Run ${large.id}`, `Run ${small.id}`]);
  await expect(page.getByRole("columnheader", { name: /Device/ })).toHaveAttribute("aria-sort", "descending");
  await page.getByRole("button", { name: "Order by size" }).click();
  await expect(numbers(page)).toHaveText([`Run ${small.id}`, `Run ${large.id}`]);
  await page.reload();
  await expect(numbers(page)).toHaveText([`Run ${small.id}`, `Run ${large.id}`]);
  await expect(page.getByRole("columnheader", { name: /Device/ })).toHaveAttribute("aria-sort", "ascending");
});

test("filters are in the address, the back button undoes one, and none that match lead on", async ({
  page,
  ended,
}) => {
  await page.goto(`/runs?batch_id=${ended.id}`);
  await expect(numbers(page)).toHaveCount(2);
  const filters = page.getByRole("group", { name: "Filters" });
  await filters.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "failed" }).click();
  await expect(page.getByText("No run matches")).toBeVisible();
  await page.goBack();
  await expect(numbers(page)).toHaveCount(2);
  await page.goForward();
  await page.getByRole("button", { name: "Show all runs" }).click();
  await expect(page).toHaveURL(/\/runs$/);
  await expect(rowOf(page, ended.runs[0]?.id ?? 0)).toBeVisible();
  await filters.getByLabel("To", { exact: true }).fill("2020-01-01");
  await expect(page.getByText("No run matches")).toBeVisible();
  await expect(page).toHaveURL(/until=2020-01-01/);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rowOf(page, ended.runs[0]?.id ?? 0)).toBeVisible();
});

test("the runs of a batch stand together and are chosen at once, or all of the list", async ({
  page,
  ended,
}) => {
  await page.goto(`/runs?batch_id=${ended.id}`);
  await page.getByRole("checkbox", { name: "Group by batch" }).check();
  await expect(page).toHaveURL(/grouped=true/);
  await page.getByRole("button", { name: `Choose the runs of batch ${ended.id}`, exact: true }).click();
  await expect(page.getByRole("link", { name: "Compare 2 runs" })).toBeVisible();
  const all = page.getByRole("checkbox", { name: "Choose all runs" });
  await expect(all).toBeChecked();
  await all.uncheck();
  await expect(page.getByRole("button", { name: "Compare runs" })).toBeDisabled();
  await all.check();
  await expect(page.getByRole("link", { name: "Compare 2 runs" })).toBeVisible();
});

test("a run gets a name and tags later, is found by them, and is archived", async ({ page, sandbox }) => {
  const run = await startRun(sandbox);
  await cancelRun(run.id);
  const tag = `mail ${run.id}`;
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("button", { name: "Change name and tags" }).click();
  const dialog = page.getByRole("dialog", { name: `Name and tags of run ${run.id}` });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Mail server, first try");
  await dialog.getByRole("combobox", { name: "Tags" }).fill(`${tag}, jb`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  const names = page.getByRole("region", { name: "Name and note" });
  await expect(names.getByRole("link")).toHaveText([tag, "jb"]);

  await page.goto("/runs");
  await page.getByRole("button", { name: "Show filters" }).click();
  const filters = page.getByRole("group", { name: "Filters" });
  await filters.getByRole("combobox", { name: "Tag" }).click();
  await page.getByRole("option", { name: tag, exact: true }).click();
  await expect(numbers(page)).toHaveText([`Run ${run.id}`]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("searchbox", { name: "Search runs" }).fill("server, FIRST");
  await expect(page).toHaveURL(/q=server/);
  await expect(rowOf(page, run.id)).toContainText("Mail server, first try");
  await rowOf(page, run.id).getByRole("link", { name: tag }).click();
  await expect(numbers(page)).toHaveText([`Run ${run.id}`]);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Go to" })).toBeFocused();
  await page.keyboard.type(`server ${tag}`);
  await expect(page.getByRole("option", { name: `Run ${run.id}: Mail server` })).toBeVisible();
  await page.keyboard.press("Escape");
  await look(page, "runs");
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByRole("checkbox", { name: `Choose run ${run.id}`, exact: true }).check();
  await page.getByRole("region", { name: "Chosen runs" }).getByRole("button", { name: "Archive" }).click();
  await expect(page.getByText("No run matches")).toBeVisible();
  await filters.getByRole("checkbox", { name: "Archived runs" }).check();
  await expect(numbers(page)).toHaveText([`Run ${run.id}`]);
  await page.goto(`/runs/${run.id}`);
  await expect(page.getByText("Archived: not in the list of runs")).toBeVisible();
  await page.getByRole("button", { name: "Show in the list again" }).click();
  await expect(page.getByRole("button", { name: "Archive" })).toBeVisible();
  await page.goto(`/runs?tag=${tag}`);
  await expect(numbers(page)).toHaveText([`Run ${run.id}`]);
});

test("the list of runs is accessible and fits with a group and a choice", async ({ page, ended }) => {
  await page.goto(`/runs?grouped=true&chosen=${ended.runs.map(({ id }) => id).join()}`);
  await expect(page.getByRole("link", { name: "Compare 2 runs" })).toBeVisible();
  await page.getByRole("button", { name: "Show filters" }).click();
  await look(page, "runs-grouped");
});
