// Names of images: a name, tags that move, a description, protection; and the rule that deletes images of a team.
import { answered, client, importImage, MIB, type Image } from "../fixtures/api";
import { askToDelete } from "../fixtures/image";
import { look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

let made_count = 0;

/** Makes an image of its own for a test: others need theirs as it is. */
async function makeImage(): Promise<Image> {
  made_count += 1;
  const name = `named-${Date.now().toString(36)}-${made_count}`;
  return importImage(name, `${name}.img`, Buffer.alloc(MIB, made_count));
}

async function remove(...images: Image[]): Promise<void> {
  for (const { id } of images) {
    const params = { path: { image_id: id } };
    await client.PATCH("/api/v1/images/{image_id}", { params, body: { is_protected: false } });
    await client.DELETE("/api/v1/images/{image_id}", { params });
  }
}

test("an image is renamed, described, tagged and protected, and its tag moves to another", async ({
  page,
}) => {
  const [image, other] = [await makeImage(), await makeImage()];
  const [name, tag] = [`${image.name}-mail`, `${image.name}:v1`];
  try {
    await page.goto(`/images/${image.id}`);
    const section = page.getByRole("region", { name: "Description" });

    await section.getByRole("button", { name: "Rename" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill(other.name);
    await dialog.getByRole("button", { name: "Rename" }).click();
    await expect(dialog.getByRole("alert")).toContainText("Choose another name");
    await dialog.getByRole("textbox", { name: "Name" }).fill(name);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();

    await section.getByRole("button", { name: "Write a description" }).click();
    await section.getByLabel("Description").fill("A *mail* server of five years.\n\n- ext4\n- 1 TB");
    await section.getByRole("button", { name: "Save the description" }).click();
    await expect(section.getByRole("emphasis")).toHaveText("mail");

    await section.getByRole("button", { name: "Add a tag" }).click();
    await expect(section.getByRole("textbox", { name: "Tag", exact: true })).toBeFocused();
    await section.getByRole("textbox", { name: "Tag", exact: true }).fill("not a tag");
    await page.keyboard.press("Enter");
    await expect(section.getByRole("alert")).toContainText("team/name:tag");
    await section.getByRole("textbox", { name: "Tag", exact: true }).fill(tag);
    await page.keyboard.press("Enter");
    await expect(section.getByRole("group", { name: "Tags" })).toContainText(tag);

    await section.getByRole("switch", { name: "Protected from deletion" }).click();
    await expect(section.getByRole("switch")).toBeChecked();
    await askToDelete(page);
    await dialog.getByRole("button", { name: `Delete ${name}` }).click();
    await expect(dialog.getByRole("alert")).toContainText("is protected");
    await page.keyboard.press("Escape");
    await section.getByRole("button", { name: "Show earlier names" }).click();
    await expect(section.getByRole("list", { name: "Names and tags" })).toContainText(image.name);
    await look(page, "image-names");

    await page.goto("/images");
    await page.getByRole("searchbox", { name: "Search images" }).fill(tag);
    await expect(page.getByRole("status").filter({ hasText: /^1 image$/ })).toBeVisible();
    await expect(page.getByRole("list", { name: "Images" })).toContainText("protected");

    await page.goto(`/images/${other.id}`);
    await section.getByRole("button", { name: "Add a tag" }).click();
    await section.getByRole("textbox", { name: "Tag", exact: true }).fill(tag);
    await page.keyboard.press("Enter");
    await expect(section.getByRole("group", { name: "Tags" })).toContainText(tag);
    await section.getByRole("button", { name: "Show earlier names" }).click();
    await section.getByRole("list", { name: "Names and tags" }).getByRole("link", { name }).click();
    await expect(section.getByText("No tags")).toBeVisible();
  } finally {
    await remove(image, other);
  }
});

test("a team's rule shows what it deletes, deletes that, and no more", async ({ page }) => {
  const images = [await makeImage(), await makeImage(), await makeImage()];
  const [oldest, middle, newest] = images;
  const name = `lab-${Date.now().toString(36)}`;
  const team = answered(await client.POST("/api/v1/teams", { body: { name } }));
  try {
    for (const { id } of images) {
      const body = { visibility: "team", team_id: team.id } as const;
      answered(
        await client.PUT("/api/v1/images/{image_id}/sharing", { params: { path: { image_id: id } }, body }),
      );
    }
    await page.goto("/people");
    await page.getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("heading", { name: `Team ${name}` })).toBeVisible();
    await expect(page.getByLabel("Storage of the team")).toContainText("3");
    await page.getByLabel("Keep the newest of each kind").fill("2");
    const leaving = page.getByRole("list", { name: "Images that go" });
    await expect(leaving.getByRole("link")).toHaveText([oldest?.name ?? ""]);
    await page.getByLabel("Keep the newest of each kind").fill("1");
    await expect(leaving.getByRole("link")).toHaveText([middle?.name ?? "", oldest?.name ?? ""]);
    await page.getByRole("button", { name: "Save the rule" }).click();
    await expect(page.getByRole("button", { name: "Delete them now" })).toBeVisible();
    await look(page, "team");
    await page.reload();
    await page.getByRole("button", { name: "Delete them now" }).click();
    await expect(page.getByText("No image goes, 1 image stays")).toBeVisible();
    await page.getByRole("button", { name: "Remove the rule" }).click();
    await expect(page.getByText("Without a rule the images of the team stay")).toBeVisible();
    await page.goto("/images");
    await expect(page.getByRole("link", { name: newest?.name ?? "" })).toBeVisible();
    await expect(page.getByRole("link", { name: oldest?.name ?? "" })).toHaveCount(0);
  } finally {
    await remove(...images);
  }
});
