// A browser that says it is offline, and one that cannot reach the server.
import { getDevice } from "../fixtures/api";
import { expect, test } from "../fixtures/test";

test("what the browser says of the network keeps no page from the server", async ({ page, blank }) => {
  await page.goto("/profiles");
  await expect(page.getByRole("link", { name: "Agrawal 2007" })).toBeVisible();
  await page.evaluate(() => globalThis.dispatchEvent(new Event("offline")));
  await page.getByRole("link", { name: "Devices" }).click();
  await expect(page.getByRole("article", { name: blank.path ?? "", exact: true })).toBeVisible();
});

test("a click that did not reach the server says so, and is not carried out later", async ({
  page,
  context,
  sandbox,
}) => {
  await page.goto("/devices");
  const card = page.getByRole("article", { name: sandbox.path ?? "", exact: true });
  const remove = card.getByRole("button", { name: `Remove ${sandbox.path}`, exact: true });
  await expect(remove).toBeVisible();
  const asked: string[] = [];
  page.on("request", (request) => request.method() === "DELETE" && asked.push(request.url()));
  await context.setOffline(true);
  try {
    await remove.click();
    await expect(page.getByRole("alert").filter({ hasText: "The server did not answer" })).toBeVisible();
  } finally {
    await context.setOffline(false);
  }
  await page.getByRole("link", { name: "Profiles" }).click();
  await expect(page.getByRole("link", { name: "Agrawal 2007" })).toBeVisible();
  expect(asked).toHaveLength(1);
  expect((await getDevice(sandbox.id)).state).toBe("available");
});
