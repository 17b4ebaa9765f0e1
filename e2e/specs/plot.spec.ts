// A run's plots: zoomed and read by mouse and keys, and saved as files.
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { look } from "../fixtures/look";
import { downloadBy, expectSaved } from "../fixtures/saved";
import { expect, test } from "../fixtures/test";

/** Returns the operations in a plot's key: "at 12.3 k". */
async function operationsAt(page: Page, figure: Locator, part: number): Promise<number> {
  const box = await figure.locator(".u-over").boundingBox();
  if (box === null) throw new Error("the plot is not on the page");
  await page.mouse.move(box.x + box.width * part - 2, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width * part, box.y + box.height / 2);
  const words = (await figure.getByText(/^at [\d.]+( [kM])?$/).textContent()) ?? "";
  const [, digits, prefix] = /^at ([\d.]+)(?: ([kM]))?$/.exec(words) ?? [];
  return Number(digits) * (prefix === "M" ? 1e6 : prefix === "k" ? 1e3 : 1);
}

test("the plots come together, so that none moves under the pointer", async ({ page, held: { run } }) => {
  let go = () => {};
  const released = new Promise<void>((resolve) => (go = resolve));
  await page.route(`**/jobs/${run.id}/events*`, async (route) => {
    await released;
    await route.continue();
  });
  const row = page.waitForResponse(`**/runs/${run.id}`);
  await page.goto(`/runs/${run.id}`);
  await row;
  await expect(page.getByRole("status", { name: "Loading" })).toBeVisible();
  await expect(page.getByRole("figure")).toHaveCount(0);
  go();
  await expect(page.getByRole("figure", { name: "Lag" })).toBeVisible();
  await expect(page.getByRole("figure", { name: "Pace" })).toBeVisible();
});

test("a plot is zoomed and moved by the mouse, and the wheel alone stays the page's", async ({
  page,
  held: { run },
}) => {
  await page.goto(`/runs/${run.id}`);
  const figure = page.getByRole("figure", { name: "Pace" });
  await figure.getByRole("img").scrollIntoViewIfNeeded();
  const all = await operationsAt(page, figure, 0.95);

  await operationsAt(page, figure, 0.05);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -240);
  await page.keyboard.up("Control");
  const zoomed = await operationsAt(page, figure, 0.95);
  expect(zoomed).toBeLessThan(all / 2);

  await page.keyboard.down("Shift");
  await page.mouse.down();
  await operationsAt(page, figure, 0.35);
  await page.mouse.up();
  await page.keyboard.up("Shift");
  const moved = await operationsAt(page, figure, 0.95);
  expect(moved).toBeGreaterThan(zoomed);
  expect(moved).toBeLessThan(all);

  const before = await page.evaluate(() => scrollY);
  await page.mouse.wheel(0, 200);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(before);
  expect(await operationsAt(page, figure, 0.95)).toBe(moved);

  await figure.getByRole("img").dblclick();
  expect(await operationsAt(page, figure, 0.95)).toBeGreaterThanOrEqual(all);
});

test("the plots of a page share the pointer, the zoom and its reset, and none of it moves the page", async ({
  page,
  held: { run },
}) => {
  await page.goto(`/runs/${run.id}`);
  const [pace, fullness] = ["Pace", "Fullness"].map((name) => page.getByRole("figure", { name })) as [
    Locator,
    Locator,
  ];
  const reset = page.getByRole("button", { name: "Reset zoom" });
  await expect(reset).toBeDisabled();
  await pace.getByRole("img").scrollIntoViewIfNeeded();
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  const before = await height();
  await operationsAt(page, pace, 0.95);
  expect(await height()).toBe(before);
  const words = await pace.getByText(/^at [\d.]+( [kM])?$/).textContent();
  await expect(fullness.getByText(words ?? "", { exact: true })).toBeVisible();
  // The labels of their axes differ in width, so 95 % of either is another sample.
  const allOfFullness = await operationsAt(page, fullness, 0.95);

  await pace.getByRole("img").focus();
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await expect(reset).toBeEnabled();
  expect(await operationsAt(page, fullness, 0.95)).toBeLessThan(allOfFullness);
  await page.keyboard.press("Escape");
  await expect(reset).toBeDisabled();
  await page.keyboard.press("ArrowRight");
  await expect(pace.getByText(/^at [\d.]+( [kM])?$/)).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("+");
  await expect(reset).toBeEnabled();
  await reset.click();
  await expect(reset).toBeDisabled();
  expect(await operationsAt(page, fullness, 0.95)).toBe(allOfFullness);
  expect(await height()).toBe(before);
});

test("plots are drawn over time where that is chosen, also after a reload", async ({
  page,
  held: { run },
}) => {
  await page.goto(`/runs/${run.id}`);
  await expect(page.getByRole("region", { name: "Over operations" })).toBeVisible();
  const axis = page.getByRole("radiogroup", { name: "Horizontal axis" });
  await axis.getByText("Time", { exact: true }).click();
  await expect(page.getByRole("region", { name: "Over time" })).toBeVisible();
  await expect(page.getByRole("img", { name: /^Pace over time, now: / })).toBeVisible();
  await page.reload();
  const pace = page.getByRole("figure", { name: "Pace" });
  await expect(page.getByRole("img", { name: /^Pace over time, now: / })).toBeVisible();
  await pace.getByRole("img").hover();
  await expect(pace.getByText(/^at [\d.]+ (s|min)/)).toBeVisible();
  await axis.getByText("Operations", { exact: true }).click();
  await expect(page.getByRole("img", { name: /^Pace over operations, now: / })).toBeVisible();
});

test("a pause is marked in the plots, also in those that are kept", async ({ page, held: { run } }) => {
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("button", { name: "Pace over operations: export" }).click();
  const saved = await downloadBy(page, () => page.getByRole("menuitem", { name: "Drawing, SVG" }).click());
  expect(await readFile(await saved.path(), "utf8")).toContain(">paused<");
});

test("a PNG that the browser does not encode is reported in the menu, and the SVG is saved", async ({
  page,
  held: { run },
}) => {
  await page.addInitScript(() => {
    HTMLCanvasElement.prototype.toBlob = (callback) => callback(null);
  });
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("button", { name: "Pace over operations: export" }).click();
  await page.getByRole("menuitem", { name: "Drawing, PNG" }).click();
  await expect(page.getByRole("menuitem", { name: "failed in this browser. Save the SVG." })).toBeVisible();
  const saved = await downloadBy(page, () => page.getByRole("menuitem", { name: "Drawing, SVG" }).click());
  expect(saved.suggestedFilename()).toBe("pace-over-operations.svg");
});

test("the heat map says what is under the pointer, and under the keys", async ({ page, held: { run } }) => {
  await page.goto(`/runs/${run.id}`);
  const figure = page.getByRole("figure", { name: "Free extents over operations" });
  const map = figure.getByRole("img");
  await expect(map).toBeVisible();
  await map.hover();
  const reading = figure.getByText(/^at [\d.]+( [kM])?: [\d.]+ % from [\d.]+ .?i?B$/);
  await expect(reading).toBeVisible();
  await page.mouse.move(0, 0);
  await expect(reading).toBeHidden();
  await map.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(reading).toBeVisible();
  const first = await reading.textContent();
  await page.keyboard.press("ArrowDown");
  await expect(reading).not.toHaveText(first ?? "");
  await page.keyboard.press("Escape");
  await expect(reading).toBeHidden();
});

test("a run under way shows where its free space is, and every plot of it can be kept", async ({
  page,
  held: { run },
}) => {
  await page.goto(`/runs/${run.id}`);
  const map = page.getByRole("figure", { name: "Block map" }).getByRole("img");
  await expect(map).toHaveAccessibleName(/^Blocks: [\d.]+ % in use, [\d.]+ % free$/);
  await expect(page.getByRole("figure", { name: "Free extents over operations" })).toBeVisible();
  await expect(page.getByText(/^about .+ left, [\d.]+ to [\d.]+ (s|min|h|d)$/)).toBeVisible();
  await look(page, "run-live");
  for (const [title, stem, head] of [
    ["Size", "size", "file_size_bytes,target_fraction,"],
    ["Depth", "depth", "depth,"],
    ["Age", "age", "relative_age,"],
    ["Free extents", "free-extents", "extent_size_bytes,"],
    ["Free extents over operations", "free-extents-over-operations", "operations,from 4 KiB,"],
    ["Block map", "block-map", "from_bytes,in_use_blocks,free_blocks"],
  ] as const) {
    await expectSaved(page, { title, stem, head });
  }
});

test("a finished run has the map of its image, with the uses told apart", async ({ page, aged }) => {
  await page.goto(`/runs/${aged.run.id}`);
  const figure = page.getByRole("figure", { name: "Block map" });
  await expect(figure.getByRole("img")).toHaveAccessibleName(/^Blocks: .* metadata, .* files, .* free$/);
  await expect(figure.getByText("In the image of this run")).toBeVisible();
});
