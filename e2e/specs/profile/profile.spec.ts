// Profiles: the gallery, one profile in full, and the link from it to a device.
import { listProfiles } from "../../fixtures/api";
import { expect, test } from "../../fixtures/test";

test("the gallery shows every profile with its three histograms", async ({ page }) => {
  const profiles = await listProfiles();
  await page.goto("/profiles");
  for (const profile of profiles) {
    const card = page.getByRole("link", { name: profile.title });
    await expect(card.getByRole("img")).toHaveCount(3);
  }
  const builtin = profiles.filter(({ is_builtin }) => is_builtin).map(({ name }) => name);
  expect(builtin.sort()).toEqual(["agrawal", "douceur", "meyer", "wang-lanl", "wang-os"]);
});

test("a profile shows its source and the same numbers as a table", async ({ page }) => {
  const agrawal = (await listProfiles()).find(({ name }) => name === "agrawal");
  await page.goto("/profiles/agrawal");
  await expect(page.getByText(agrawal?.source ?? "")).toBeVisible();
  await page.getByRole("button", { name: "Size: view as table" }).click();
  const rows = page.getByRole("region", { name: "Size, as a table" }).getByRole("row");
  await expect(rows).toHaveCount((agrawal?.latest_version.size.length ?? 0) + 1);
  await page.getByRole("button", { name: "Size: view as chart" }).click();
  await expect(page.getByRole("figure", { name: "Size" }).getByRole("img")).toBeVisible();
});

test("a profile is drawn over the same axes on its page and in the editor", async ({ page }) => {
  const labels = async (name: string) => {
    const axis = page.getByRole("figure", { name }).locator("[data-axis] span");
    await expect(axis.first()).toBeVisible();
    return axis.evaluateAll((found) => found.map((label) => [label.textContent, label.style.left]));
  };
  const names = ["Size", "Depth", "Age"];
  await page.goto("/profiles/agrawal");
  const shown = [];
  for (const name of names) shown.push(await labels(name));
  await page.goto("/profiles/agrawal/edit");
  await expect(page.getByRole("group", { name: "Bars of size" })).toBeVisible();
  const edited = [];
  for (const name of names) edited.push(await labels(name));
  expect(edited).toEqual(shown);
});

test("a profile leads to a device with itself chosen, and names what does not fit there", async ({
  page,
  blank,
}) => {
  await page.goto("/profiles/meyer");
  await page.getByRole("link", { name: "Choose a device to age" }).click();
  await page.getByRole("button", { name: `Age ${blank.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Age ${blank.path}` });
  await expect(dialog.getByRole("button", { name: `Age ${blank.path} to Meyer 2012, 70 %` })).toBeVisible();
  await expect(dialog.getByRole("region", { name: "Forecast" })).toContainText("set aside");
});

test("an unknown profile is answered with those there are", async ({ page }) => {
  await page.goto("/profiles/no-such-profile");
  const names = (await listProfiles()).map(({ name }) => name).sort();
  await expect(page.getByRole("alert")).toContainText(names.join(", "));
});
