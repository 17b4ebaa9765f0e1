// Any two profiles compared: chosen on the page of profiles, kept in the address.
import { look } from "../../fixtures/look";
import { expect, test } from "../../fixtures/profile";

const choice = (name: string) => ({ name: `Choose ${name}`, exact: true });

test("two profiles are chosen on the page, and the address keeps the choice", async ({ page, profile }) => {
  await page.goto("/profiles");
  const bar = page.getByRole("region", { name: "Chosen profiles" });
  await expect(bar).toContainText("Choose two profiles to compare them.");
  await page.getByRole("checkbox", choice("Agrawal 2007")).check();
  await expect(page).toHaveURL(/chosen=agrawal$/);
  await page.getByRole("checkbox", choice("Meyer 2012")).press("Space");
  await expect(bar.getByRole("status")).toHaveText("Agrawal 2007 and Meyer 2012 are chosen.");
  await expect(page.getByRole("checkbox", choice(profile.title))).toBeDisabled();
  await page.reload();
  await expect(page.getByRole("checkbox", choice("Meyer 2012"))).toBeChecked();
  await look(page, "profiles-chosen");
  await bar.getByRole("link", { name: "Compare 2 profiles" }).click();
  await expect(page).toHaveURL(/\/profiles\/agrawal\/compare\?with=meyer$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Compare Agrawal 2007 with Meyer 2012");
  await page.goBack();
  await expect(page.getByRole("checkbox", choice("Agrawal 2007"))).toBeChecked();
  await bar.getByRole("button", { name: "Clear selection" }).click();
  await expect(page).toHaveURL(/\/profiles$/);
});

test("a comparison is of any two, changed by its fields; a reload shows the same", async ({
  page,
  profile,
}) => {
  await page.goto(`/profiles/agrawal/compare?with=${profile.name}`);
  const line = page.getByRole("group", { name: "As a line" });
  await expect(line.getByRole("combobox", { name: "Profile" })).toHaveValue(profile.title);
  await expect(page.getByRole("figure", { name: "Size" })).toContainText(
    `The bins of Agrawal 2007, version 1 and ${profile.title}, version 1 have different edges.`,
  );
  await look(page, "profile-compare-two");
  await line.getByRole("combobox", { name: "Profile" }).click();
  await page.getByRole("option", { name: "Douceur 1999" }).click();
  await expect(page).toHaveURL(/\/profiles\/agrawal\/compare\?with=douceur/);
  await page.getByRole("group", { name: "As bars" }).getByRole("combobox", { name: "Profile" }).click();
  await page.getByRole("option", { name: "Douceur 1999" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Compare versions of Douceur 1999");
  await expect(page.getByText("The profile has only one version")).toBeVisible();
  await page.reload();
  await expect(line.getByRole("combobox", { name: "Profile" })).toHaveValue("Douceur 1999");
});

test("a profile leads to a comparison with another one; one that is missing is named", async ({ page }) => {
  await page.goto("/profiles/meyer");
  await page.getByRole("link", { name: "Compare with another profile" }).click();
  await expect(page.getByRole("checkbox", choice("Meyer 2012"))).toBeChecked();
  await page.goto("/profiles/meyer/compare?with=no-such-profile");
  await expect(page.getByRole("alert").first()).toContainText("There is no profile called 'no-such-profile'");
});
