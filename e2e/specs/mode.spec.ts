// The modes of aging, as a run, its image and its device's card show them.
import { getRun, imageOf, layoutOf, runWhenEnded, runWhenSampled, startRun } from "../fixtures/api";
import { pausedEndless } from "../fixtures/endless";
import { expect, test } from "../fixtures/test";

test("a run on its way says how far from its plan it is, and which age bins it fills", async ({
  page,
  sandbox,
}) => {
  const run = await pausedEndless(sandbox);
  await page.goto(`/runs/${run.id}`);
  await expect(page.getByRole("figure", { name: "RMSE", exact: true })).toContainText("on plan");
  await expect(page.getByRole("img", { name: /^RMSE over operations/ })).toHaveAccessibleName(/age by plan/);
  const age = page.getByRole("figure", { name: "Age", exact: true });
  await expect(age.getByRole("img")).toHaveAccessibleName(/1 filling/);
  await age.getByRole("button", { name: "Age: view as table" }).click();
  const table = page.getByRole("region", { name: "Age, as a table" });
  await expect(table.getByRole("cell", { name: "filling" })).toHaveCount(1);
  await expect(page.getByRole("figure", { name: "Lag", exact: true })).toBeVisible();
});

test("the headline of the fullness is the file system's, with the files' beside it", async ({
  page,
  aged,
}) => {
  const { fullness, fullness_statfs } = aged.image.summary;
  const percent = (value: number) => `${Number((100 * value).toPrecision(3))} %`;
  const places = [
    [`/runs/${aged.run.id}`, "Figures of this run"],
    [`/images/${aged.image.id}`, "Contents"],
  ] as const;
  for (const [at, label] of places) {
    await page.goto(at);
    await expect(page.getByLabel(label)).toContainText(
      `Fullness${percent(fullness_statfs ?? 0)} files ${percent(fullness)}, target 70 %`,
    );
  }
});

test("the goal may be what the file system reports: the files get what metadata leave of it", async ({
  page,
  sandbox,
}) => {
  await page.goto("/devices?profile=agrawal");
  await page.getByRole("button", { name: `Age ${sandbox.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Age ${sandbox.path}` });
  await dialog.getByRole("combobox", { name: "Fullness of" }).click();
  await page.getByRole("option", { name: "All used space (statfs)" }).click();
  await dialog.getByRole("button", { name: `Age ${sandbox.path} to` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  const run_id = Number(new URL(page.url()).pathname.split("/").at(-1));
  await runWhenSampled(run_id);
  const run = await getRun(run_id);
  const plan = run.plan?.type === "plan" ? run.plan : null;
  expect(plan?.fullness_statfs_target).toBe(0.7);
  expect(plan?.fullness).toBeLessThan(0.7);
  await expect(page.getByLabel("Figures of this run")).toContainText("target 70 %, files");
});

test("the layout stands beside the same files unaged and the empty file system", async ({ page, aged }) => {
  const { baseline, free_extents } = await layoutOf(aged.image.id);
  await page.goto(`/images/${aged.image.id}`);
  const free = page
    .getByRole("table", { name: /^Beside the same files/ })
    .getByRole("row", { name: /^Free extents/ });
  await expect(free.getByRole("cell")).toHaveText(
    [free_extents, baseline?.unaged_free, baseline?.fresh].map((each) =>
      (each?.extents_count ?? 0).toLocaleString("en-GB").replace(",", " "),
    ),
  );
  expect(baseline?.unaged_free.extents_count).toBeLessThan(free_extents.extents_count);
});

test("what was aged as fast tools do is marked wherever it stands, and leads to a better one", async ({
  page,
  sandbox,
}) => {
  const how = { mode: "unbounded", data_mode: "fallocate" } as const;
  const run = await startRun(sandbox, "agrawal", 0.5, how);
  expect((await runWhenEnded(run.id)).state).toBe("succeeded");
  const image = await imageOf(run.id);
  expect(image.is_readable).toBe(false);
  const notReadable = "files cannot be read from disk";
  await page.goto("/devices");
  const card = page.getByRole("article", { name: sandbox.path ?? "", exact: true });
  await expect(card.getByText(notReadable)).toBeVisible();
  await page.goto("/images");
  const row = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: image.name }) });
  await expect(row).toContainText(notReadable);
  await row.getByRole("link", { name: image.name }).click();
  await expect(page.getByRole("banner").or(page.getByRole("main"))).toContainText(notReadable);
  const notice = page.getByRole("complementary", { name: "Aged with unbounded reuse lag" });
  await notice.getByRole("link", { name: "Age again" }).click();
  await page.getByRole("button", { name: `Age ${sandbox.path}`, exact: true }).click();
  await expect(page.getByRole("dialog").getByRole("combobox", { name: "Mode" })).toHaveValue("Faithful");
});
