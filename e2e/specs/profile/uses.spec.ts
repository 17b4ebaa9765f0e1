// Where the versions of a profile were used: runs, images and trials, with links to the newest.
import { deleteProfiles, makeProfile } from "../../fixtures/api";
import { look } from "../../fixtures/look";
import { expect, test } from "../../fixtures/test";

test("a profile lists the runs and images that used each version", async ({ page, aged }) => {
  await page.goto("/profiles/agrawal");
  const version = page
    .getByRole("region", { name: "Used by" })
    .getByRole("listitem", { name: "Uses of version 1" });
  await expect(version.getByRole("link", { name: `run ${aged.run.id}`, exact: true })).toBeVisible();
  await look(page, "profile-uses");
  await version.getByRole("link", { name: aged.image.name, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/images/${aged.image.id}$`));
});

test("a profile that nothing uses says so", async ({ page }) => {
  const { name } = await makeProfile(`e2e-${Date.now().toString(36)}-unused`);
  await page.goto(`/profiles/${name}`);
  await expect(page.getByRole("region", { name: "Used by" })).toContainText(
    "No run, image or trial uses this profile yet.",
  );
  await deleteProfiles(name);
});
