// A network that changes while a page is fetched: the page loads in the end, or reports the missing part.
import { look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

const EDITOR = /\/assets\/EditPage-.*\.js$/;

test("a part of a page that was lost on the way is asked for again", async ({ page }) => {
  let lost_count = 0;
  await page.route(EDITOR, (route) => {
    lost_count += 1;
    return lost_count <= 2 ? route.abort("internetdisconnected") : route.continue();
  });
  await page.goto("/profiles/agrawal/edit");
  await expect(page.getByText("Counts", { exact: true })).toBeVisible();
  expect(lost_count).toBe(3);
});

test("a page of which a part does not come says so, and comes when it is asked for again", async ({
  page,
}) => {
  await page.route(EDITOR, (route) => route.abort("internetdisconnected"));
  await page.goto("/profiles/agrawal/edit");
  await expect(page.getByRole("heading", { name: "This page could not be shown" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Patina" })).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("EditPage");
  await look(page, "broken");
  await page.unroute(EDITOR);
  await page.getByRole("button", { name: "Reload the page" }).click();
  await expect(page.getByText("Counts", { exact: true })).toBeVisible();
});

test("the API's documentation is shown without another server", async ({ page, baseURL }) => {
  const hosts = new Set<string>();
  page.on("request", (asked) => hosts.add(new URL(asked.url()).origin));
  await page.goto("/api/docs");
  await expect(page.getByText("/api/v1/devices", { exact: true }).first()).toBeVisible();
  expect([...hosts].filter((origin) => !origin.startsWith("data"))).toEqual([new URL(baseURL ?? "").origin]);
});
