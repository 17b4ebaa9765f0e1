// Every state of the profiles' pages, dark and light, wide and narrow.
import type { Page } from "@playwright/test";
import { makeHistograms, saveVersion } from "../../fixtures/api";
import { look } from "../../fixtures/look";
import { bar, expect, openEditor, test } from "../../fixtures/profile";

const press = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).click();

async function makeFlaw(page: Page): Promise<void> {
  await press("Size: view as table")(page);
  await page.getByRole("textbox", { name: "File size of bin 3" }).fill("1 KiB");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toBeVisible();
}

async function choose(page: Page): Promise<void> {
  await bar(page, "Depth 2").click();
  await bar(page, "Size 2 KiB").click();
  await bar(page, "Size 4 KiB").click({ modifiers: ["Shift"] });
}

async function paste(page: Page): Promise<void> {
  await press("Paste or open…")(page);
  await page.getByRole("textbox", { name: "Or paste columns" }).fill("1024\t3\nfour\t5");
  await press("Read the columns")(page);
  await expect(page.getByRole("row", { name: /line 2/ })).toBeVisible();
}

async function fit(page: Page): Promise<void> {
  await press("Fit…")(page);
  await expect(page.getByText("Kolmogorov-Smirnov")).toBeVisible();
}

async function simulate(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Capacity" }).fill("64 MiB");
  await press("Simulate the whole run")(page);
  await expect(page.getByText(/the age RMSE would be|Cut off after/)).toBeVisible();
}

const states: readonly { name: string; open: (page: Page) => Promise<void> }[] = [
  { name: "profile-edit", open: () => Promise.resolve() },
  { name: "profile-edit-chosen", open: choose },
  { name: "profile-edit-typing", open: (page) => bar(page, "Younger than 10").press("7") },
  { name: "profile-edit-flawed", open: makeFlaw },
  { name: "profile-edit-paste", open: paste },
  { name: "profile-edit-fit", open: fit },
  { name: "profile-edit-scan", open: press("Scan a directory…") },
  { name: "profile-edit-simulated", open: simulate },
  { name: "profile-edit-fork", open: press("Save as a new profile") },
];

test.use({ contextOptions: { reducedMotion: "reduce" } });

for (const { name, open } of states) {
  test(`${name} is accessible and fits, dark and light, wide and narrow`, async ({ page, profile }) => {
    await openEditor(page, profile.name);
    await expect(page.getByText("Critical age bin")).toBeVisible();
    await open(page);
    await look(page, name);
  });
}

test("profile-edit-changed is accessible and fits, dark and light, wide and narrow", async ({
  page,
  profile,
}) => {
  await openEditor(page, profile.name);
  await bar(page, "Size 4 KiB").press("ArrowUp");
  await saveVersion(profile.name, makeHistograms(6), "Grace");
  await press("Save version 2")(page);
  await look(page, "profile-edit-save");
  await page.getByRole("textbox", { name: "What changed" }).fill("mine");
  await page.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await page.getByRole("dialog").getByRole("button", { name: "Save version 2" }).click();
  await expect(page.getByRole("figure", { name: "Age" }).last()).toBeVisible();
  await look(page, "profile-edit-changed");
});

test("the other pages are accessible and fit, dark and light, wide and narrow", async ({ page, profile }) => {
  await saveVersion(profile.name, makeHistograms(6), "Grace");
  await page.goto(`/profiles/${profile.name}`);
  await expect(page.getByRole("listitem", { name: "Version 1" })).toBeVisible();
  await look(page, "profile-mine");
  await press("Edit title and description")(page);
  await look(page, "profile-about");
  await page.keyboard.press("Escape");
  await press("Delete")(page);
  await look(page, "profile-delete");
  await page.goto(`/profiles/${profile.name}/compare`);
  await expect(page.getByRole("figure", { name: "Age" })).toBeVisible();
  await look(page, "profile-compare");
  await page.goto("/profiles?archived=true");
  await expect(page.getByRole("button", { name: "Archived" })).toBeVisible();
  await look(page, "profile-archive");
  await page.goto("/profiles/new");
  await expect(page.getByText("Critical age bin")).toBeVisible();
  await look(page, "profile-new");
});
