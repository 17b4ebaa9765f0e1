// The devices of an application that has no sandbox device yet.
import { sandboxes } from "../fixtures/api";
import { expect, test } from "../fixtures/test";

test("the empty page makes the first sandbox device in one click", async ({ page }) => {
  expect(await sandboxes(), "this test wants an application without sandbox devices").toEqual([]);
  await page.goto("/");
  await expect(page).toHaveURL(/\/devices$/);
  await page.getByRole("button", { name: "Make a 1 GiB sandbox device" }).click();
  const card = page.getByRole("article");
  await expect(card.getByText("available")).toBeVisible();
  await expect(card.getByText("Sandbox in a file, 1 GiB")).toBeVisible();
  const [made] = await sandboxes();
  expect(made).toMatchObject({ size_bytes: 2 ** 30, medium: "file", state: "available" });
  await page.getByRole("button", { name: `Remove ${made?.path}`, exact: true }).click();
  await expect(page.getByRole("heading", { name: "No sandbox device yet" })).toBeVisible();
  await expect.poll(sandboxes).toEqual([]);
});
