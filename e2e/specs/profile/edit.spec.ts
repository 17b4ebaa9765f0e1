// The editor of a profile: bars by mouse, touch and keys; bins; undo; drafts that survive; errors at the bin.
import { ownSession } from "../../fixtures/test";
import { bar, dragBar, expect, openEditor, pointOf, test, weightOf } from "../../fixtures/profile";

test("a bar is dragged with the mouse, in one step to undo", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  const slider = bar(page, "Size 4 KiB");
  const before = await weightOf(slider);
  await dragBar(page, slider, 40);
  await expect.poll(() => weightOf(slider)).toBeGreaterThan(before);
  const after = await weightOf(slider);
  await expect(page.getByText("Unsaved changes, kept in this browser")).toBeVisible();
  await page.getByRole("button", { name: "Undo a weight of size" }).click();
  await expect.poll(() => weightOf(slider)).toBe(before);
  await expect(page.getByRole("button", { name: "Undo", exact: true })).toBeVisible();
  await page.keyboard.press("Control+Shift+Z");
  await expect.poll(() => weightOf(slider)).toBe(after);
});

test("a drag is given up with Escape", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  const slider = bar(page, "Younger than 10");
  const before = await weightOf(slider);
  const { x, y } = await pointOf(slider);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 50, { steps: 4 });
  await expect.poll(() => weightOf(slider)).not.toBe(before);
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect.poll(() => weightOf(slider)).toBe(before);
});

test("a bar is dragged with a finger, and the page does not scroll under it", async ({
  browser,
  profile,
}) => {
  const context = await browser.newContext({ hasTouch: true, viewport: { width: 390, height: 800 } });
  await context.addCookies([ownSession()]);
  const page = await context.newPage();
  await openEditor(page, profile.name);
  const slider = bar(page, "Size 4 KiB");
  const before = await weightOf(slider);
  const { x, y } = await pointOf(slider);
  const scrolled = await page.evaluate(() => window.scrollY);
  const session = await context.newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", at: number) =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [{ x, y: at }],
    });
  await touch("touchStart", y);
  for (const step of [10, 20, 30, 40]) await touch("touchMove", y - step);
  await touch("touchEnd", y - 40);
  await expect.poll(() => weightOf(slider)).toBeGreaterThan(before);
  expect(await page.evaluate(() => window.scrollY)).toBe(scrolled);
  await context.close();
});

test("everything is done with the keyboard alone", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  const first = bar(page, "Size 1 KiB");
  const second = bar(page, "Size 2 KiB");
  await first.focus();
  const before = await weightOf(first);
  await page.keyboard.press("ArrowUp");
  const fine = (await weightOf(first)) - before;
  expect(fine).toBeGreaterThan(0);
  await page.keyboard.press("Shift+ArrowUp");
  expect(await weightOf(first)).toBeCloseTo(before + 11 * fine);
  await page.keyboard.press("ArrowRight");
  await expect(second).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(bar(page, "Size 3 KiB")).toBeFocused();
  await page.keyboard.press("End");
  await expect(bar(page, "Size 8 KiB")).toBeFocused();
  await page.keyboard.press("Home");
  await expect(first).toBeFocused();

  await page.keyboard.type("42");
  await expect(page.getByRole("textbox", { name: "Files, Size 1 KiB" })).toHaveValue("42");
  await page.keyboard.press("Tab");
  await expect(first).toHaveAttribute("aria-valuetext", "42");
  await expect(second).toBeFocused();
  await page.keyboard.press("Delete");
  await expect(second).toHaveCount(0);
  await expect(bar(page, "Size 3 KiB")).toBeFocused();
  await page.keyboard.press("Control+Z");
  await expect(second).toBeVisible();
});

test("bins are added, split, merged, removed; a selection is scaled and smoothed", async ({
  page,
  profile,
}) => {
  await openEditor(page, profile.name);
  const bars = page.getByRole("group", { name: "Bars of size" }).getByRole("slider");
  const tools = page.getByRole("group", { name: "The chosen bins of size" });
  await bar(page, "Size 4 KiB").click();
  await tools.getByRole("button", { name: "Split" }).click();
  await expect(bars).toHaveCount(9);
  await tools.getByRole("button", { name: "Add a bin after" }).click();
  await expect(bars).toHaveCount(10);
  await tools.getByRole("button", { name: "Remove" }).click();
  await expect(bars).toHaveCount(9);

  await bar(page, "Size 5 KiB").click();
  await bar(page, "Size 7 KiB").click({ modifiers: ["Shift"] });
  await expect(tools).toContainText("3 bins, 5 KiB to 7 KiB");
  const weights = () => Promise.all([5, 6, 7].map((size) => weightOf(bar(page, `Size ${size} KiB`))));
  expect(await weights()).toEqual([14, 15, 16]);
  await tools.getByRole("button", { name: "Scale by" }).click();
  await expect.poll(weights).toEqual([28, 30, 32]);
  await tools.getByRole("button", { name: "Smooth" }).click();
  await expect.poll(weights).toEqual([28.5, 30, 31.5]);
  await tools.getByRole("button", { name: "Merge" }).click();
  await expect(bars).toHaveCount(7);
  await expect(page.getByRole("status").filter({ hasText: "a merge of size. 7 bins." })).toHaveCount(1);
});

test("weights show as percent, and one that is typed is what it then is", async ({ page, profile }) => {
  await page.goto(`/profiles/${profile.name}/edit`);
  await bar(page, "Depth 2").click();
  const field = page.getByRole("textbox", { name: "Percent of the chosen depth bin" });
  await field.fill("25");
  await field.press("Enter");
  await expect(bar(page, "Depth 2")).toHaveAttribute("aria-valuetext", "25 %");
});

test("an error points at its bin, and nothing is saved or forecast with it", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  await page.getByRole("button", { name: "Size: view as table" }).click();
  const table = page.getByRole("region", { name: "Bins of size, as a table" });
  await table.getByRole("textbox", { name: "File size of bin 3" }).fill("1 KiB");
  await page.keyboard.press("Enter");
  const error = page.getByRole("button", {
    name: "Bin 3: The edge 1 KiB must be greater than 2 KiB before it.",
  });
  await error.click();
  await expect(page.locator("[data-mark=flawed]")).toBeFocused();
  await expect(page.getByRole("button", { name: "Save version 2" })).toBeDisabled();
  await expect(page.getByText("The forecast shows the last histograms without an error.")).toBeVisible();
  await table.getByRole("textbox", { name: "File size of bin 3" }).fill("3000");
  await page.keyboard.press("Enter");
  await expect(error).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Save version 2" })).toBeEnabled();
});

test("a draft survives a reload, and leaving it warns", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  await bar(page, "Size 4 KiB").focus();
  await page.keyboard.press("ArrowUp");
  const text = await bar(page, "Size 4 KiB").getAttribute("aria-valuetext");
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  await page.getByText("Counts", { exact: true }).click();
  await expect(bar(page, "Size 4 KiB")).toHaveAttribute("aria-valuetext", text ?? "");
  expect(dialogs).toEqual(["beforeunload"]);

  await page.getByRole("link", { name: "Runs" }).click();
  const leaving = page.getByRole("dialog", { name: "Leave with unsaved changes?" });
  await leaving.getByRole("button", { name: "Stay" }).click();
  await expect(page).toHaveURL(/\/edit$/);
  await page.getByRole("link", { name: "Runs" }).click();
  await leaving.getByRole("button", { name: "Leave, keep the draft" }).click();
  await expect(page).toHaveURL(/\/runs$/);
  await openEditor(page, profile.name);
  await expect(bar(page, "Size 4 KiB")).toHaveAttribute("aria-valuetext", text ?? "");
  await page.getByRole("link", { name: "Runs" }).click();
  await leaving.getByRole("button", { name: "Discard the changes" }).click();
  await openEditor(page, profile.name);
  await expect(page.getByText("No changes yet")).toBeVisible();
});
