// Dialogs by the keyboard: Escape closes a dialog and returns the focus to what opened it.
import type { Page } from "@playwright/test";
import { deleteProfiles, makeProfile } from "../fixtures/api";
import { expect, test } from "../fixtures/test";

async function opensAndReturns(page: Page, button: string, title: string) {
  const opener = page.getByRole("button", { name: button, exact: true });
  await opener.press("Enter");
  await expect(page.getByRole("dialog", { name: title })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(opener).toBeFocused();
}

test("the focus moves to each new page, without an outline, and stays when only the search changes", async ({
  page,
}) => {
  await page.goto("/devices");
  const main = page.getByRole("main");
  await expect(page.getByRole("heading", { level: 1, name: "Devices" })).toBeVisible();
  await expect(main).not.toBeFocused();
  await page.getByRole("link", { name: "Runs", exact: true }).press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Runs" })).toBeVisible();
  await expect(main).toBeFocused();
  await expect(main).toHaveCSS("outline-style", "none");

  await page.getByRole("link", { name: "Activity" }).press("Enter");
  await expect(page).toHaveURL(/activity=0/);
  await expect(main).not.toBeFocused();
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to" }).fill("shortcut");
  await expect(page.getByRole("option", { name: /^Keyboard shortcuts/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/help\/first-steps#keyboard-shortcuts$/);
  await expect(main).toBeFocused();
});

for (const { path, button, title = button } of [
  { path: "/people", button: "Invite" },
  { path: "/account", button: "Make an access token" },
  { path: "/hosts", button: "Add a host" },
  { path: "/devices", button: "Make a sandbox device" },
  { path: "/profiles/new", button: "Scan a directory…", title: "Scan a directory" },
])
  test(`the dialog "${title}" returns the focus to its button`, async ({ page }) => {
    await page.goto(path);
    await opensAndReturns(page, button, title);
  });

test("the dialog about a profile returns the focus to its button", async ({ page }) => {
  const { name, title } = await makeProfile(`e2e-${Date.now().toString(36)}-focus`);
  await page.goto(`/profiles/${name}`);
  await opensAndReturns(page, "Edit title and description", `About ${title}`);
  await deleteProfiles(name);
});

test("the dialog with stop conditions returns the focus to its button", async ({ page, held }) => {
  await page.goto(`/runs/${held.run.id}`);
  await opensAndReturns(page, "Stop conditions…", `Stop conditions of run ${held.run.id}`);
});

test("a dialog opened from a menu returns the focus to the menu's button", async ({ page, aged }) => {
  await page.goto(`/images/${aged.image.id}`);
  const more = page.getByRole("button", { name: "More", exact: true });
  await more.press("Enter");
  await page.getByRole("menuitem", { name: /^Delete this image/ }).press("Enter");
  await expect(page.getByRole("dialog", { name: `Delete ${aged.image.name}?` })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(more).toBeFocused();
});
