// Required fields of the profiles' forms: marked before the form is sent, then named at the field, which gets the focus.
import { look } from "../../fixtures/look";
import { bar, expect, openEditor, test } from "../../fixtures/profile";

test("a new profile is not saved before its required fields are filled, and says which", async ({ page }) => {
  await page.goto("/profiles/new");
  await page.getByRole("button", { name: "Save as a new profile" }).click();
  const dialog = page.getByRole("dialog", { name: "Save as a new profile" });
  await expect(dialog).toContainText("Fields with an asterisk (*) are required.");
  const [title, author] = ["Title", "Your name"].map((name) => dialog.getByRole("textbox", { name }));
  await expect(title ?? dialog).toHaveAttribute("required");
  await dialog.getByRole("button", { name: "Save the profile" }).click();
  await expect(title ?? dialog).toBeFocused();
  await expect(title ?? dialog).toHaveAccessibleDescription("Give the profile a title");
  await expect(dialog).toContainText("Give the profile a name");
  await look(page, "profile-required");
  await author?.fill("");
  await title?.fill("Mine");
  await expect(dialog).not.toContainText("Give the profile a title");
  await title?.press("Enter");
  await expect(author ?? dialog).toBeFocused();
  await expect(author ?? dialog).toHaveAccessibleDescription(/Give your name, for the list of versions/);
});

test("a version needs a message and a name; a profile's title stays", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  await bar(page, "Size 4 KiB").press("ArrowUp");
  await page.getByRole("button", { name: "Save version 2" }).click();
  const dialog = page.getByRole("dialog", { name: /^Save version 2/ });
  await dialog.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("textbox", { name: "What changed" })).toBeFocused();
  await expect(dialog).toContainText("Say what changed, for the list of versions");
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await page.goto(`/profiles/${profile.name}`);
  await page.getByRole("button", { name: "Edit title and description" }).click();
  const about = page.getByRole("dialog", { name: /^About/ });
  const title = about.getByRole("textbox", { name: "Title" });
  await title.fill("");
  await about.getByRole("button", { name: "Save" }).click();
  await expect(title).toBeFocused();
  await expect(title).toHaveAccessibleDescription("Give the profile a title");
  await about.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(profile.title);
});
