// The forecast of a draft: updated with each edit, with a point to pick on its curve.
import type { Locator, Page, TestInfo } from "@playwright/test";
import { look } from "../../fixtures/look";
import { makeHistograms, makeProfile, deleteProfiles } from "../../fixtures/api";
import { bar, expect, openEditor, pointOf, test } from "../../fixtures/profile";

/** Reports times for information: a test asserts no time. */
function report(info: TestInfo, type: string, times_ms: readonly number[]): void {
  const sorted = [...times_ms].sort((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
  const description = `${sorted.length}: median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, longest ${at(1)} ms`;
  info.annotations.push({ type, description });
  console.log(`${type}, ${description}`);
}

test("an edit changes the forecast; the critical bin is marked in the histogram", async ({ page }) => {
  await page.goto("/profiles/agrawal/edit");
  const figures = page.getByLabel("Forecast figures");
  await expect(figures).toContainText("Critical age bin");
  await expect(
    page
      .getByRole("slider", { name: /^Younger than/, exact: false })
      .and(page.locator("[data-mark=critical]")),
  ).toHaveAttribute("aria-valuetext", /critical: it sets the length of the run/);
  const files = figures.locator("div", { has: page.getByText("Files", { exact: true }) }).locator("dd");
  const before = await files.textContent();
  await bar(page, "Size 8 MiB").focus();
  await page.keyboard.press("Shift+ArrowUp");
  await expect(files).not.toHaveText(before ?? "");
  const small = page.getByRole("textbox", { name: "Capacity" });
  await small.fill("64 MiB");
  await expect(page.getByRole("region", { name: "Forecast" })).toContainText("set aside");
});

for (const width of [1440, 390]) {
  test(`the forecast in one line stays in view during a drag, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 600 });
    await page.goto("/profiles/agrawal/edit");
    const line = page.getByRole("group", { name: "Forecast summary" });
    await expect(line).toContainText("every bin fits");
    const before = await line.textContent();
    const age = bar(page, "Younger than 15.8 k");
    await age.scrollIntoViewIfNeeded();
    // To the end of the bars: the line would be above the window if it did not stay.
    await age.evaluate((element) => element.scrollIntoView({ block: "start" }));
    const { x, y } = await pointOf(age);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y + 60, { steps: 5 });
    await expect(line).toBeInViewport({ ratio: 1 });
    await expect(line).not.toHaveText(before ?? "");
    const box = await line.boundingBox();
    expect(box?.height).toBeLessThan(48);
    await page.mouse.up();
  });
}

/** The curve has a few of the plan's points: between two of them its text is the plan's. */
async function expectCurveToSayTheFigures(page: Page, curve: Locator) {
  const figures = page.getByLabel("Forecast figures");
  const row = figures.locator("div", { has: page.getByText("Age RMSE", { exact: true }) });
  const isSame = async () => {
    const figure = /^[\d.]+ %/.exec((await row.locator("dd").textContent()) ?? "")?.[0];
    return (await curve.getAttribute("aria-valuetext"))?.endsWith(`age RMSE ${figure}`);
  };
  await expect.poll(isSame).toBe(true);
}

test("a point is picked on the curve by keyboard and by mouse, and goes into the run", async ({
  page,
  blank,
}) => {
  await page.goto("/profiles/agrawal/edit");
  const curve = page.getByRole("slider", { name: "How long to age" });
  await curve.focus();
  const last = (await curve.getAttribute("aria-valuemax")) ?? "";
  await expect(curve).toHaveAttribute("aria-valuenow", last);
  await page.keyboard.press("ArrowLeft");
  await expect(curve).not.toHaveAttribute("aria-valuenow", last);
  await expectCurveToSayTheFigures(page, curve);
  const { x, y } = await pointOf(curve);
  await page.mouse.click(x, y);
  await expect(curve).toHaveAttribute("aria-valuenow", /^1\d$/);
  await page.getByRole("link", { name: "Choose a device to age" }).click();
  await expect(page).toHaveURL(/profile=agrawal&max_rmse=0\.\d+/);
  await page.getByRole("button", { name: `Age ${blank.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Age ${blank.path}` });
  await expect(dialog).toContainText(/Stops at an age RMSE of/);
  await expect(dialog.getByRole("button", { name: `Age ${blank.path} to` })).toContainText(/age RMSE/);
  await dialog.getByRole("button", { name: "Age exactly instead" }).click();
  await expect(dialog).not.toContainText(/Stops at an age RMSE of/);
});

test("the page of a saved profile has its forecast, which leads on to a device", async ({ page }) => {
  await page.goto("/profiles/agrawal");
  const section = page.getByRole("region", { name: "Forecast", exact: true });
  await expect(section.getByLabel("Forecast figures")).toContainText("Critical age bin");
  await look(page, "profile-forecast");
  await section.getByRole("slider", { name: "How long to age" }).press("ArrowLeft");
  await section.getByRole("link", { name: "Age a device to this forecast" }).click();
  await expect(page).toHaveURL(/profile=agrawal&max_rmse=0\.\d+/);
});

test("the time is said, and by whose measure: a guess without a device", async ({ page, blank }) => {
  await page.goto("/profiles/agrawal/edit");
  const figures = page.getByLabel("Forecast figures");
  await expect(figures).toContainText("careful guess");
  await page.getByRole("combobox", { name: "For" }).click();
  await page.getByRole("option", { name: blank.path ?? "", exact: true }).click();
  await expect(figures).toContainText(/on devices of its kind|careful guess/);
});

test("dragging at 40 bins each stays smooth, and the forecast keeps up", async ({ page }, info) => {
  const name = `e2e-${Date.now().toString(36)}-smooth`;
  await makeProfile(name, makeHistograms(40));
  const answers: number[] = [];
  page.on("requestfinished", (request) => {
    if (request.url().endsWith("/forecasts")) answers.push(request.timing().responseEnd);
  });
  await openEditor(page, name);
  const slider = page.getByRole("group", { name: "Bars of age" }).getByRole("slider").nth(20);
  const { x, y } = await pointOf(slider);
  await page.mouse.move(x, y);
  await page.mouse.down();
  // One pointer move per frame, as a user makes them: the driver makes too few.
  const times = await slider.evaluate(
    async (element, from) => {
      const measured: number[] = [];
      let last = performance.now();
      for (let frame = 0; frame < 180; frame += 1) {
        const clientY = from.y - 60 * Math.sin(frame / 12);
        const move = { bubbles: true, clientX: from.x, clientY, pointerId: 1, buttons: 1 };
        element.dispatchEvent(new PointerEvent("pointermove", move));
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        measured.push(now - last);
        last = now;
      }
      return measured;
    },
    { x, y },
  );
  await page.mouse.up();
  await expect.poll(() => answers.length).toBeGreaterThan(1);
  await deleteProfiles(name);
  report(info, "frame times of a drag at 3 x 40 bins", times.slice(1));
  report(info, "forecasts during the drag, from request to answer", answers);
  expect(times.length).toBeGreaterThan(10);
});

test("the whole run is previewed on demand, and the preview says when it has grown old", async ({ page }) => {
  await page.goto("/profiles/meyer/edit");
  await page.getByRole("textbox", { name: "Capacity" }).fill("64 MiB");
  const preview = page.getByRole("region", { name: "Preview of the run" });
  await preview.getByRole("button", { name: "Simulate the whole run" }).click();
  await expect(preview.getByRole("status")).toHaveText(/^After .+ operations the age RMSE would be/);
  await expect(preview.getByRole("img", { name: /^RMSE over operations/ })).toBeVisible();
  await page.getByRole("slider", { name: /^Size/ }).first().focus();
  await page.keyboard.press("ArrowUp");
  await expect(preview).toContainText("before your last change");
});
