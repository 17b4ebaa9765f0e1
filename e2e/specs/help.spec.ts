// Help: the terms on the pages, the glossary and the documents, from this server alone.
import { expectAccessibleInBothSchemes, look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

test.use({ contextOptions: { reducedMotion: "reduce" } });

test("a term shows its meaning by mouse, keyboard and finger, and leads to the glossary", async ({
  page,
  aged,
}) => {
  await page.goto(`/images/${aged.image.id}`);
  const term = page.getByRole("button", { name: "Overwrites", exact: true }).first();
  const meaning = page.getByRole("dialog", { name: "Overwrites" });
  await term.hover();
  await expect(meaning).toContainText("bytes of all creates over capacity");
  await page.mouse.move(0, 0);
  await expect(meaning).toHaveCount(0);

  await term.focus();
  await page.keyboard.press("Enter");
  await expect(meaning).toContainText("bytes of all creates over capacity");
  await expectAccessibleInBothSchemes(page);
  await page.keyboard.press("Escape");
  await expect(meaning).toHaveCount(0);
  await expect(term).toBeFocused();

  await term.click();
  await page.keyboard.press("Tab");
  const link = meaning.getByRole("link", { name: "In the glossary" });
  await expect(link).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/help\/glossary#overwrites$/);
  await expect(page.getByRole("row", { name: /^overwrites bytes of all creates/ })).toBeInViewport();
});

test("a term in a dialog is closed by Escape, which leaves the dialog open", async ({ page, blank }) => {
  await page.goto(`/devices?age=${blank.id}`);
  const dialog = page.getByRole("dialog", { name: `Age ${blank.path}` });
  const term = dialog.getByRole("button", { name: "Critical age bin", exact: true });
  await term.click();
  await expect(page.getByRole("dialog", { name: "Critical age bin" })).toContainText(
    "sets the number of operations",
  );
  const link = page.getByRole("link", { name: "In the glossary, in a new tab" });
  await expect(link).toHaveAttribute("target", "_blank");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Critical age bin" })).toHaveCount(0);
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/\/devices$/);
});

test("the documents are served by the application, and lead to each other", async ({ page, baseURL }) => {
  const outside: string[] = [];
  page.on("request", (asked) => {
    if (!asked.url().startsWith(baseURL ?? "")) outside.push(asked.url());
  });
  await page.goto("/devices");
  await page.getByRole("link", { name: "Help", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Help" })).toBeVisible();
  await look(page, "help");
  await page.getByRole("link", { name: "First steps" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Keyboard shortcuts" })).toBeVisible();
  await look(page, "help-first-steps");
  await page.goBack();
  await page.getByRole("link", { name: "Add a route" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Add a route" })).toBeVisible();
  await page.goto("/help/how-to/add-a-workload");
  await page.getByRole("link", { name: "design.md" }).click();
  await expect(page).toHaveURL(/\/help\/design$/);
  await expect(page.getByRole("heading", { level: 1, name: "Design" })).toBeVisible();
  expect(outside).toEqual([]);
});

test("the glossary is accessible and fits, and opens at a term", async ({ page }) => {
  await page.goto("/help/glossary#layout-score");
  await expect(page.getByRole("row", { name: /^layout score of the blocks/ })).toBeInViewport();
  await look(page, "help-glossary");
  await page.goto("/help/cli");
  await expect(page.getByRole("heading", { level: 1, name: /patina/ })).toBeVisible();
  await look(page, "help-cli");
});

test("both links to the help lead from a document to the list of all", async ({ page }) => {
  for (const place of ["main", "contentinfo"] as const) {
    await page.goto("/help/glossary");
    await expect(page.getByRole("heading", { level: 1, name: "Glossary" })).toBeVisible();
    await page.getByRole(place).getByRole("link", { name: "Help", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Help" })).toBeVisible();
    await expect(page.getByRole("main")).toBeFocused();
  }
});

test("a table of a document is a stop of the Tab key only where it does not fit", async ({ page }) => {
  const tables = page.getByRole("group", { name: "Table" });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("/help/operations");
  await expect(tables.first()).toHaveAttribute("tabindex", "0");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/help/glossary");
  await expect(tables).toHaveCount(0);
  await expect(page.getByRole("table").first()).toBeVisible();
});

test("an unknown document is named as such", async ({ page }) => {
  await page.goto("/help/nothing-here");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
});
