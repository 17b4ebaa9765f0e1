// An image: found in the catalog, its figures those of the API, its index the very bytes.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "../fixtures/test";

test("the catalog leads to the image, whose recipe and figures are the API's", async ({ page, aged }) => {
  const { image, run } = aged;
  await page.goto("/images");
  await page.getByRole("link", { name: image.name }).click();
  await expect(page).toHaveURL(new RegExp(`/images/${image.id}$`));
  await expect(page.getByRole("heading", { name: image.name })).toBeVisible();
  await expect(page.getByText(image.extract_command)).toBeVisible();
  await expect(page.getByText(image.index_digest)).toBeVisible();
  await expect(page.getByText(image.summary.plan_digest)).toBeVisible();
  await expect(page.getByText(String(image.recipe.seed), { exact: true })).toBeVisible();
  await expect(page.getByTitle(`${image.stored_bytes.toLocaleString("en-GB")} bytes`).first()).toBeVisible();
  await page.getByRole("link", { name: `run ${run.id}` }).click();
  await expect(page.getByRole("heading", { name: `Run ${run.id}` })).toBeVisible();
});

test("the index downloads as the bytes that its digest names", async ({ page, aged }) => {
  await page.goto(`/images/${aged.image.id}`);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download the index" }).click();
  const bytes = await readFile(await (await download).path());
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(aged.image.index_digest);
});

test("the extract command is copied as it stands", async ({ page, context, aged }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/images/${aged.image.id}`);
  await page.getByRole("button", { name: "Copy command" }).click();
  await expect(page.getByRole("button", { name: "Copied command" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(aged.image.extract_command);
});

test("an image that never was says so", async ({ page }) => {
  await page.goto("/images/999999999");
  await expect(page.getByRole("alert")).toContainText("There is no image 999999999.");
});
