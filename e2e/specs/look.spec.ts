// Every page, dark and light, wide and narrow: accessible, no sideways scroll, with a picture of each.
import type { Page } from "@playwright/test";
import { look } from "../fixtures/look";
import { expect, test, type Aged } from "../fixtures/test";

const pages: readonly {
  name: string;
  at: (aged: Aged) => string;
  open?: (page: Page, aged: Aged) => Promise<void>;
}[] = [
  { name: "devices", at: () => "/devices" },
  {
    name: "device-make",
    at: () => "/devices",
    open: (page) => page.getByRole("button", { name: "Make a sandbox device" }).click(),
  },
  {
    name: "device-age",
    at: () => "/devices",
    open: async (page, { device }) => {
      await page.getByRole("button", { name: `Age ${device.path}`, exact: true }).click();
      await expect(
        page.getByRole("region", { name: "Forecast" }).getByText("Critical age bin"),
      ).toBeVisible();
    },
  },
  {
    name: "device-age-more",
    at: () => "/devices",
    open: async (page, { device }) => {
      await page.getByRole("button", { name: `Age ${device.path}`, exact: true }).click();
      await page.getByText("More", { exact: true }).click();
      await expect(page.getByRole("textbox", { name: "Truncations" })).toBeVisible();
    },
  },
  {
    name: "device-restore",
    at: () => "/devices",
    open: async (page, { device }) => {
      await page.getByRole("button", { name: `Restore an image to ${device.path}`, exact: true }).click();
      await expect(page.getByRole("combobox", { name: "Image" })).toBeVisible();
    },
  },
  { name: "profiles", at: () => "/profiles" },
  { name: "profile", at: () => "/profiles/agrawal" },
  { name: "runs", at: () => "/runs" },
  { name: "run", at: ({ run }) => `/runs/${run.id}` },
  { name: "runs-compare", at: ({ run }) => `/runs/compare?ids=${run.id},999999999` },
  { name: "runs-compare-nothing", at: () => "/runs/compare" },
  { name: "images", at: () => "/images" },
  { name: "image-import", at: () => "/images/import" },
  { name: "image-imported", at: ({ imported }) => `/images/${imported.id}` },
  { name: "image", at: ({ image }) => `/images/${image.id}` },
  { name: "trials", at: () => "/trials" },
  {
    name: "trial-new",
    at: ({ image }) => `/trials/new?images=${image.id}`,
    open: (page) => page.getByRole("button", { name: "Add a Filebench file" }).click(),
  },
  {
    name: "trial-new-aging",
    at: () => "/trials/new",
    open: (page) => page.getByRole("button", { name: /^Rank order/ }).click(),
  },
  {
    name: "trial-new-git",
    at: () => "/trials/new",
    open: (page) => page.getByRole("button", { name: /^Git/ }).click(),
  },
  {
    name: "trial-new-fullness",
    at: () => "/trials/new",
    open: (page) => page.getByRole("button", { name: /^Fullness/ }).click(),
  },
  { name: "studies", at: () => "/studies" },
  { name: "study-new", at: () => "/studies/new" },
  {
    name: "study-new-cleaning",
    at: () => "/studies/new",
    open: (page) => page.getByRole("button", { name: /^Cleaning/ }).click(),
  },
  { name: "notifications", at: () => "/notifications" },
  { name: "hosts", at: () => "/hosts" },
  {
    name: "activity",
    at: () => "/images?activity=0",
    open: (page) =>
      expect(page.getByRole("list", { name: "Jobs" }).getByRole("listitem").first()).toBeVisible(),
  },
  { name: "nothing", at: () => "/nowhere" },
];

test.use({ contextOptions: { reducedMotion: "reduce" } });

for (const { name, at, open = () => Promise.resolve() } of pages) {
  test(`${name} is accessible and fits, dark and light, wide and narrow`, async ({ page, aged }) => {
    await page.goto(at(aged));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    await open(page, aged);
    await look(page, name);
  });
}
