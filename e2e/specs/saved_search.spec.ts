// Saved searches: kept under a name, found again, removed.
import { expectAccessibleInBothSchemes } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

test("a search is saved under a name, opened again and removed", async ({ page, aged }) => {
  const name = `Of one name ${Date.now().toString(36)}`;
  await page.goto("/images");
  await page.getByRole("searchbox", { name: "Search images" }).fill(aged.image.name);
  await page.getByRole("button", { name: "Save this search" }).click();
  await page.getByRole("textbox", { name: "Name of the search" }).fill(name);
  await page.keyboard.press("Enter");
  const saved = page.getByRole("navigation", { name: "Saved searches" });
  await expect(saved.getByRole("link", { name })).toHaveAttribute("aria-current", "page");
  await expectAccessibleInBothSchemes(page);

  await page.goto("/images");
  await saved.getByRole("link", { name }).click();
  await expect(page.getByRole("searchbox", { name: "Search images" })).toHaveValue(aged.image.name);
  await expect(page.getByRole("link", { name: aged.image.name, exact: true })).toBeVisible();
  await saved.getByRole("button", { name: `Remove the saved search ${name}` }).click();
  await expect(saved.getByRole("link", { name })).toHaveCount(0);
});
