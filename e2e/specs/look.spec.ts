// Every page, dark and light, wide and narrow: accessible, nothing scrolls sideways, and a picture to look at.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test, type Aged } from "../fixtures/test";

const pages: readonly { name: string; at: (aged: Aged) => string; open?: (page: Page) => Promise<void> }[] = [
  { name: "devices", at: () => "/devices" },
  {
    name: "device-make",
    at: () => "/devices",
    open: (page) => page.getByRole("button", { name: "Make a sandbox device" }).click(),
  },
  {
    name: "device-age",
    at: () => "/devices",
    open: async (page) => {
      await page.getByRole("button", { name: "Age /dev/" }).first().click();
      await expect(
        page.getByRole("region", { name: "Forecast" }).getByText("Critical age bin"),
      ).toBeVisible();
    },
  },
  { name: "profiles", at: () => "/profiles" },
  { name: "profile", at: () => "/profiles/agrawal" },
  { name: "runs", at: () => "/runs" },
  { name: "run", at: ({ run }) => `/runs/${run.id}` },
  { name: "images", at: () => "/images" },
  { name: "image", at: ({ image }) => `/images/${image.id}` },
  { name: "nothing", at: () => "/nowhere" },
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1440, 390]) {
    test.describe(`${colorScheme}, ${width} wide`, () => {
      test.use({
        colorScheme,
        viewport: { width, height: 900 },
        contextOptions: { reducedMotion: "reduce" },
      });
      for (const { name, at, open = () => Promise.resolve() } of pages) {
        test(`${name} is accessible and fits`, async ({ page, aged }) => {
          await page.goto(at(aged));
          await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
          await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
          await open(page);
          await page.screenshot({
            path: `test-results/shots/${name}-${width}-${colorScheme}.png`,
            fullPage: true,
          });
          const { violations } = await new AxeBuilder({ page }).analyze();
          expect(violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }))).toEqual([]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        });
      }
    });
  }
}
