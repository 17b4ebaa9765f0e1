// Saved profiles: versions, two users at once, forks, comparison, tags and description, archive and deletion.
import { getProfile, makeHistograms, makeProfile, saveVersion } from "../../fixtures/api";
import { bar, expect, openEditor, test } from "../../fixtures/profile";

test("a change is saved as a version with its message and author, who is remembered", async ({
  page,
  profile,
}) => {
  await openEditor(page, profile.name);
  await bar(page, "Size 4 KiB").focus();
  await page.keyboard.press("Shift+ArrowUp");
  await page.getByRole("button", { name: "Save version 2" }).click();
  const dialog = page.getByRole("dialog", { name: /^Save version 2/ });
  await dialog.getByRole("textbox", { name: "What changed" }).fill("more small files");
  await dialog.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await page.keyboard.press("Enter");
  const row = page.getByRole("listitem", { name: "Version 2" });
  await expect(row).toContainText("more small files");
  await expect(row).toContainText("Ada");
  await expect(row.getByRole("button", { name: "Copy the digest of version 2" })).toBeVisible();
  expect((await getProfile(profile.name)).latest_version.number).toBe(2);
  await page.getByRole("link", { name: "Edit the histograms" }).click();
  await bar(page, "Size 4 KiB").focus();
  await page.keyboard.press("ArrowUp");
  await page.getByRole("button", { name: "Save version 3" }).click();
  await expect(page.getByRole("textbox", { name: "Your name" })).toHaveValue("Ada");
});

test("the second of two people is told what changed and by whom, and has three ways on", async ({
  page,
  profile,
}) => {
  await openEditor(page, profile.name);
  await bar(page, "Size 4 KiB").focus();
  await page.keyboard.press("Shift+ArrowUp");
  await expect(page.getByRole("status").filter({ hasText: "The line is version 1" })).toBeVisible();
  await saveVersion(profile.name, makeHistograms(6), "Grace");
  await page.getByRole("button", { name: "Save version 2" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "What changed" }).fill("mine");
  await dialog.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await dialog.getByRole("button", { name: "Save version 2" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Grace saved version 2");
  await expect(dialog.getByRole("figure", { name: "Size" })).toContainText(
    "The bins of version 2 and your draft have different edges.",
  );

  await dialog.getByRole("button", { name: "Save mine as a new profile" }).click();
  await expect(dialog.getByRole("textbox", { name: "Name", exact: true })).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("button", { name: "Save version 2" }).click();
  await dialog.getByRole("textbox", { name: "What changed" }).fill("mine");
  await dialog.getByRole("button", { name: "Save version 2" }).click();
  await dialog.getByRole("button", { name: "Save mine on top, as version 3" }).click();
  await expect(page.getByRole("listitem", { name: "Version 3" })).toContainText("mine");
  expect((await getProfile(profile.name)).latest_version.size).toHaveLength(8);
});

test("or theirs is taken, and the editor goes on from it", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  await bar(page, "Size 4 KiB").focus();
  await page.keyboard.press("Shift+ArrowUp");
  await saveVersion(profile.name, makeHistograms(6), "Grace");
  await page.getByRole("button", { name: "Save version 2" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "What changed" }).fill("mine");
  await dialog.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await dialog.getByRole("button", { name: "Save version 2" }).click();
  await dialog.getByRole("button", { name: "Discard mine, open version 2" }).click();
  await expect(page.getByRole("group", { name: "Bars of size" }).getByRole("slider")).toHaveCount(6);
  await expect(page.getByText("No changes yet")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save version 3" })).toBeVisible();
});

test("a built-in profile is changed as a fork that remembers its parent", async ({ page, profile }) => {
  const fork = `${profile.name}-fork`;
  await openEditor(page, "agrawal");
  await expect(page.getByText("Built-in profiles are read-only")).toBeVisible();
  await bar(page, "Size 512 B").focus();
  await page.keyboard.press("Shift+ArrowUp");
  await page.getByRole("button", { name: "Save as a new profile" }).click();
  const dialog = page.getByRole("dialog", { name: "Save as a new profile" });
  await expect(dialog.getByRole("textbox", { name: "Title" })).toBeFocused();
  await dialog.getByRole("textbox", { name: "Title" }).fill("Agrawal, changed");
  await dialog
    .getByRole("textbox", { name: "Description" })
    .fill("With **more** files.\n\n<script>alert(1)</script>");
  await dialog.getByRole("combobox", { name: "Tags" }).fill("test-tag, second");
  await page.keyboard.press("Enter");
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill(fork);
  await dialog.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await dialog.getByRole("button", { name: `Save ${fork}` }).click();
  await expect(page).toHaveURL(new RegExp(`/profiles/${fork}$`));
  await expect(page.getByLabel("About this profile")).toContainText("agrawal");
  await expect(page.getByRole("strong").filter({ hasText: "more" })).toBeVisible();
  await expect(page.locator("main script")).toHaveCount(0);
  expect((await getProfile(fork)).parent).toEqual({ name: "agrawal", number: 1 });
  await expect(page.getByRole("link", { name: "second", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "test-tag", exact: true }).click();
  await expect(page).toHaveURL(/tag=test-tag/);
  await expect(page.getByRole("link", { name: /Agrawal, changed/ })).toBeVisible();
  await expect(page.getByRole("link", { name: /Meyer/ })).toHaveCount(0);
});

test("two versions are compared histogram by histogram", async ({ page, profile }) => {
  await saveVersion(profile.name, { ...makeHistograms(), age: makeHistograms(6).age }, "Grace");
  await page.goto(`/profiles/${profile.name}`);
  await page.getByRole("link", { name: "Compare with 2" }).click();
  await expect(page.getByRole("figure", { name: "Size" })).toContainText(
    "No bin differs between version 1 and version 2.",
  );
  await expect(page.getByRole("figure", { name: "Age" })).toContainText("have different edges");
  await page.getByRole("group", { name: "As bars" }).getByRole("combobox", { name: "Version" }).click();
  await page.getByRole("option", { name: "Version 2: changed meanwhile" }).click();
  await expect(page).toHaveURL(/left=2&right=2/);
  await expect(page.getByRole("figure", { name: "Age" })).toContainText("No bin differs");
});

test("title and description are edited; the profile is archived, found again and deleted", async ({
  page,
  profile,
}) => {
  await page.goto(`/profiles/${profile.name}`);
  await page.getByRole("button", { name: "Edit title and description" }).click();
  const about = page.getByRole("dialog", { name: /^About/ });
  await about.getByRole("textbox", { name: "Title" }).fill(`Renamed ${profile.name}`);
  await about.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: `Renamed ${profile.name}` })).toBeVisible();

  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await expect(page.getByRole("button", { name: "Unarchive" })).toBeVisible();
  await page.goto("/profiles");
  await expect(page.getByRole("link", { name: /Agrawal/ })).toBeVisible();
  await expect(page.getByRole("link", { name: new RegExp(profile.name) })).toHaveCount(0);
  await page.getByRole("button", { name: "Archived" }).click();
  await page.getByRole("link", { name: new RegExp(profile.name) }).click();
  await page.getByRole("button", { name: "Unarchive" }).click();
  await expect(page.getByRole("button", { name: "Archive", exact: true })).toBeVisible();

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: `Delete ${profile.name}` })
    .click();
  await expect(page).toHaveURL(/\/profiles$/);
  await expect(page.getByRole("link", { name: new RegExp(profile.name) })).toHaveCount(0);
});

test("a profile that a fork remembers is archived instead of deleted", async ({ page, profile }) => {
  const fork = await makeProfile(`${profile.name}-z`, makeHistograms(), { name: profile.name, number: 1 });
  await page.goto(`/profiles/${profile.name}`);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: `Delete ${profile.name}` }).click();
  await expect(dialog.getByRole("alert")).toContainText("This profile is in use");
  await dialog.getByRole("button", { name: `Archive ${profile.name}` }).click();
  await expect(page.getByRole("button", { name: "Unarchive" })).toBeVisible();
  expect((await getProfile(fork.name)).parent?.name).toBe(profile.name);
});
