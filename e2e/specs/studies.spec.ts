// A study from a ready-made plan to its figures, its table and its files; what its page shows while it is stopped.
import { readFile } from "node:fs/promises";
import { answered, client, PATIENTLY, TERMINAL, type Schemas } from "../fixtures/api";
import { look } from "../fixtures/look";
import { openLinkOf, statusOf } from "../fixtures/people";
import { downloadBy, expectSaved } from "../fixtures/saved";
import { expect, test } from "../fixtures/test";

const MIB = 2 ** 20;

async function getStudy(study_id: number): Promise<Schemas["StudyRead"]> {
  return answered(await client.GET("/api/v1/studies/{study_id}", { params: { path: { study_id } } }));
}

/** Returns a study that has succeeded. */
async function studyOf(name: string, settings: Schemas["StudyRequest"]["settings"]) {
  const { id } = answered(await client.POST("/api/v1/studies", { body: { name, note: "", settings } }));
  await expect.poll(async () => TERMINAL.includes((await getStudy(id)).state), PATIENTLY).toBe(true);
  const study = await getStudy(id);
  expect(study.state, study.message).toBe("succeeded");
  return study;
}

test("a study is started from a ready-made plan, and its figures, table and files are those of its results", async ({
  page,
}) => {
  await page.goto("/studies");
  await page.getByRole("link", { name: "New study" }).first().click();
  await expect(page).toHaveURL(/\/studies\/new$/);
  await page.getByRole("button", { name: /^Capacity, three more policies/ }).click();
  const policies = page.getByRole("group", { name: "Policies of placement" });
  await expect(policies.getByRole("checkbox", { name: "best-aware" })).toBeChecked();
  for (const name of ["best-split", "best-late", "best-aware"])
    await policies.getByRole("checkbox", { name, exact: true }).uncheck();
  await policies.getByRole("checkbox", { name: "worst fit", exact: true }).check();
  const start = page.getByRole("button", { name: "Start study" });
  await page.getByRole("textbox", { name: "DID", exact: true }).fill("16, 4");
  await expect(page.getByText("DNOR is at most the least DID.")).toBeVisible();
  await expect(start).toBeDisabled();
  await page.getByRole("textbox", { name: "DID", exact: true }).fill("16, 64");
  await page.getByRole("textbox", { name: "Size" }).fill("4 MiB");
  await page.getByRole("textbox", { name: "Operations" }).fill("400");
  await page.getByRole("textbox", { name: "Seeds" }).fill("3");
  await page.getByRole("textbox", { name: "Name" }).fill("The smallest");
  await expect(page.getByText(/^4 cells, 3 seeds each: 12 simulations/)).toBeVisible();
  await start.press("Enter");

  await expect(page).toHaveURL(/\/studies\/\d+$/);
  const id = Number(page.url().split("/").at(-1));
  await expect(page.getByRole("heading", { level: 1, name: "The smallest" })).toBeVisible();
  await expect(page.getByText("Simulated 12 disks")).toBeVisible();
  const check = async () => {
    for (const name of ["Unusable", "Larger than its files"])
      await expect(page.getByRole("figure", { name, exact: true })).toBeVisible();
    await expect(page.getByText("12 of 12 results")).toBeVisible();
    await expect(page.getByRole("region", { name: "Cells, scrollable" }).getByRole("row")).toHaveCount(1 + 4);
  };
  await check();
  await page.reload();
  await check();

  // The table by keys alone.
  const cells = page.getByRole("region", { name: "Cells, scrollable" });
  const head = cells.getByRole("button", { name: "Policy" });
  await head.focus();
  await page.keyboard.press("Enter");
  await expect(cells.getByRole("columnheader", { name: "Policy" })).toHaveAttribute("aria-sort", "ascending");
  await page.keyboard.press("Enter");
  await expect(cells.getByRole("columnheader", { name: "Policy" })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  await expect(cells.getByRole("row").nth(1)).toContainText("worst fit");
  const table = await downloadBy(page, () =>
    page.getByRole("button", { name: "Save as CSV" }).press("Enter"),
  );
  const rows = (await readFile(await table.path(), "utf8")).trim().split("\n");
  expect(rows[0]).toMatch(/^interface,policy,did_blocks,results_count,over_allocation_fraction,/);
  expect(rows[1]).toMatch(/^caveat,worst,/);
  expect(rows).toHaveLength(1 + 4);

  await page.getByRole("button", { name: "Export", exact: true }).click();
  const saved = await downloadBy(page, () => page.getByRole("menuitem", { name: "Results, CSV" }).click());
  const lines = (await readFile(await saved.path(), "utf8")).trim().split("\n");
  expect(lines).toHaveLength(1 + 12);
  await expectSaved(page, {
    title: "Unusable, of the disk, less is better",
    stem: "unusable-of-the-disk-less-is-better",
    head: "group,",
  });

  await page.getByRole("link", { name: "Run this again" }).click();
  await expect(page.getByRole("textbox", { name: "DID", exact: true })).toHaveValue("16, 64");
  await expect(policies.getByRole("checkbox", { name: "worst fit", exact: true })).toBeChecked();
  await page.goto("/studies");
  await expect(page.getByRole("listitem").filter({ hasText: "The smallest" }).first()).toContainText(
    "12 of 12 results",
  );

  await page.goto(`/studies/${id}`);
  await openLinkOf(page);
  await expect(page.getByRole("figure", { name: "Unusable", exact: true })).toBeVisible();
  await look(page, "shared-study");
  expect(await statusOf(page, `/studies/${id}/export?format=csv`)).toBe(200);
  expect(await statusOf(page, "/studies")).toBe(401);
});

test("the published values stand beside those of the same settings", async ({ page }) => {
  const { id } = await studyOf("As published", {
    kind: "capacity",
    policies: ["best", "last-position"],
    did_blocks: [16, 512],
    dnor_blocks: 0,
    seeds_count: 2,
    usable_bytes: 1024 * MIB,
    operations_count: 100_000,
  });
  await page.goto(`/studies/${id}`);
  const unusable = page.getByRole("figure", { name: "Unusable", exact: true });
  await expect(unusable.getByText("best fit, published")).toHaveCount(2);
  await expect(page.getByRole("columnheader", { name: "Published: total" })).toBeVisible();
  await look(page, "study-capacity");
});

test("cleaning is drawn as lines by fullness, and over many DIDs as a map", async ({ page }) => {
  const settings = {
    kind: "cleaning",
    policies: ["best", "worst"],
    cleaners: ["greedy", "cost-benefit", "oldest"],
    fullnesses: [0.5, 0.7, 0.9, 0.95],
    dnor_blocks: 0,
    seeds_count: 2,
    size_bytes: 64 * MIB,
    band_bytes: 4 * MIB,
    times: 3,
  } satisfies Omit<Schemas["CleaningSettings"], "did_blocks">;
  const lines = await studyOf("Cleaning", { ...settings, did_blocks: [16] });
  await page.goto(`/studies/${lines.id}`);
  const moved = page.getByRole("figure", { name: "Moved over written", exact: true });
  await expect(moved.getByRole("listitem").filter({ hasText: "cost-benefit" })).toBeVisible();
  await expect(
    page.getByRole("figure", { name: "Written until no place is left", exact: true }),
  ).toBeVisible();
  await expectSaved(page, {
    title: "Moved over written, blocks moved for each block written, less is better",
    stem: "moved-over-written-blocks-moved-for-each-block-written-less-is-better",
    head: "line,",
  });
  await look(page, "study-cleaning");

  const map = await studyOf("By DID", { ...settings, cleaners: [], did_blocks: [16, 64, 256, 1024] });
  await page.goto(`/studies/${map.id}`);
  const best = page.getByRole("figure", { name: "Written until no place is left, best fit", exact: true });
  await expect(best.getByRole("cell")).toHaveCount(4 * 4);
  await expect(best.getByRole("columnheader", { name: "1024" })).toBeVisible();
  await expectSaved(page, {
    title: "Written until no place is left, best fit, over the size of the disk, more is better",
    stem: "written-until-no-place-is-left-best-fit-over-the-size-of-the-disk-more-is-better",
    head: "fullness,",
  });
  await look(page, "study-map");
});

test("a study that is stopped keeps its results, and goes on when it is asked to", async ({ page }) => {
  const body = {
    name: "To be stopped",
    note: "",
    settings: {
      kind: "cleaning",
      policies: [],
      cleaners: ["greedy"],
      did_blocks: [16],
      dnor_blocks: 0,
      fullnesses: [0.5],
      seeds_count: 100,
      size_bytes: 1024 * MIB,
      band_bytes: 16 * MIB,
      times: 40,
    },
  } satisfies Schemas["StudyRequest"];
  const { id } = answered(await client.POST("/api/v1/studies", { body }));
  await page.goto(`/studies/${id}`);
  await expect.poll(async () => (await getStudy(id)).done_count, PATIENTLY).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByRole("button", { name: "Go on" })).toBeVisible();
  const stopped = await getStudy(id);
  expect(stopped.state).toBe("canceled");
  await expect(page.getByText(`${stopped.done_count} of 100 results`)).toBeVisible();
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeVisible();
  expect((await getStudy(id)).done_count).toBeGreaterThanOrEqual(stopped.done_count);
  answered(await client.POST("/api/v1/jobs/{job_id}/stop", { params: { path: { job_id: id } } }));
  await expect.poll(async () => (await getStudy(id)).state, PATIENTLY).toBe("canceled");
});
