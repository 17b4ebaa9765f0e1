// The catalog: searched by words and by facets; the address keeps the search.
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures/test";

const listed = (page: Page, name: string) =>
  page.getByRole("list", { name: "Images" }).getByRole("link", { name, exact: true });
const field = (page: Page) => page.getByRole("searchbox", { name: "Search images" });

test("words narrow the catalog while they are typed; a reload and the address keep them", async ({
  page,
  aged,
}) => {
  await page.goto("/images");
  await expect(listed(page, aged.imported.name)).toBeVisible();
  await page.keyboard.press("/");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type(`${aged.image.profile} ${aged.image.name.toUpperCase()}`);
  await expect(listed(page, aged.imported.name)).toHaveCount(0);
  await expect(listed(page, aged.image.name)).toBeVisible();
  await expect(field(page)).toHaveValue(`${aged.image.profile} ${aged.image.name.toUpperCase()}`);

  await page.reload();
  await expect(listed(page, aged.image.name)).toBeVisible();
  await expect(listed(page, aged.imported.name)).toHaveCount(0);
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  await expect(listed(page, aged.imported.name)).toBeVisible();
  await expect(page).toHaveURL(/\/images$/);
});

test("a search that finds nothing offers all images", async ({ page, aged }) => {
  await page.goto("/images?q=nowhere");
  await expect(page.getByText("No image matches")).toBeVisible();
  await page.getByRole("button", { name: "Show all images" }).click();
  await expect(listed(page, aged.image.name)).toBeVisible();
  await expect(field(page)).toHaveValue("");
});

test("facets narrow the catalog, and the back button widens it", async ({ page, aged }) => {
  await page.goto("/images");
  const filters = page.getByRole("group", { name: "Filters" });
  const origin = filters.getByRole("group", { name: "Origin" });
  await origin.getByRole("checkbox", { name: "Imported" }).check();
  await expect(listed(page, aged.image.name)).toHaveCount(0);
  await expect(listed(page, aged.imported.name)).toBeVisible();
  await expect(origin.getByRole("checkbox", { name: "Aged" })).toBeVisible();

  await page.goBack();
  await expect(listed(page, aged.image.name)).toBeVisible();
  await expect(page.getByText("Origin: Imported")).toHaveCount(0);
  await page.goForward();
  await expect(listed(page, aged.image.name)).toHaveCount(0);
  await page.getByRole("button", { name: "Remove Origin Imported" }).click();
  await expect(listed(page, aged.image.name)).toBeVisible();
});

test("images are shown by name, and on a narrow screen the filters open", async ({ page, aged }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/images");
  await page.getByRole("combobox", { name: "Order" }).selectOption("By name");
  await expect(page).toHaveURL(/sort=name/);
  await expect(listed(page, aged.image.name)).toBeVisible();
  const filters = page.getByRole("group", { name: "Filters" });
  await expect(filters).toBeHidden();
  await page.getByRole("button", { name: "Show filters" }).click();
  await expect(filters).toBeVisible();
});
