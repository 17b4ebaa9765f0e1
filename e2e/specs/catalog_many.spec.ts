// The catalog with 2 000 images, as a user searches it. The expected counts are computed from the planted rows.
import type { Page } from "@playwright/test";
import { expectAccessibleInBothSchemes, look } from "../fixtures/look";
import { plantImages, type Planted } from "../fixtures/planted";
import { expect, test as base } from "../fixtures/test";

const COUNT = 2000;

const test = base.extend<object, { planted: readonly Planted[] }>({
  planted: [
    async ({ aged }, use) => {
      expect(aged.image.origin).toBe("aged");
      await use(await plantImages(COUNT));
      await plantImages(0);
    },
    { scope: "worker" },
  ],
});

const field = (page: Page) => page.getByRole("searchbox", { name: "Search images" });
const list = (page: Page) => page.getByRole("list", { name: "Images" });
const namesOn = (page: Page) => list(page).getByRole("link").allTextContents();

async function expectFound(page: Page, images: readonly Planted[]): Promise<void> {
  await expect(page.getByRole("status").filter({ hasText: "image" })).toHaveText(`${images.length} images`);
}

/** Returns the row of a value: its checkbox, and the number of images. */
function valueOf(page: Page, title: string, value: string) {
  const facet = page.getByRole("group", { name: "Filters" }).getByRole("group", { name: title });
  const row = facet
    .locator("> div")
    .filter({ has: page.getByRole("checkbox", { name: value, exact: true }) });
  return { row, box: row.getByRole("checkbox") };
}

const choose = (page: Page, order: string) =>
  page.getByRole("combobox", { name: "Order" }).selectOption(order);

async function showAll(page: Page): Promise<void> {
  const older = page.getByRole("button", { name: "Show older images" });
  for (let shown = (await namesOn(page)).length; (await older.count()) > 0;) {
    await older.click();
    await expect.poll(async () => (await namesOn(page)).length).toBeGreaterThan(shown);
    shown = (await namesOn(page)).length;
  }
}

test("a search as it is typed, facets with counts, the address, and back", async ({ page, planted }) => {
  const meyer = planted.filter(({ profile }) => profile === "meyer");
  const xfs = meyer.filter(({ file_system }) => file_system === "xfs");
  const both = meyer.filter(({ file_system }) => ["xfs", "ext2"].includes(file_system));
  await page.goto("/images");
  await expect(list(page)).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("meyer", { delay: 30 });
  await expectFound(page, meyer);
  for (const name of new Set(meyer.map(({ file_system }) => file_system))) {
    const count = meyer.filter(({ file_system }) => file_system === name).length;
    await expect(valueOf(page, "File system", name).row).toHaveText(`${name}${count}`);
  }
  await valueOf(page, "File system", "xfs").box.check();
  await expectFound(page, xfs);
  await valueOf(page, "File system", "ext2").box.check();
  await expectFound(page, both);

  await page.reload();
  await expectFound(page, both);
  await expect(field(page)).toHaveValue("meyer");
  await expect(page.getByText("File system: ext2")).toBeVisible();
  await page.goBack();
  await expectFound(page, xfs);
  await page.goBack();
  await expectFound(page, meyer);
});

test("every page of a search, in each order", async ({ page, planted }) => {
  const mail = planted.filter(({ profile, file_system }) => profile === "mail" && file_system === "ext4");
  await page.goto("/images?q=mail&file_system=ext4");
  await expectFound(page, mail);
  await showAll(page);
  expect(await namesOn(page)).toEqual(mail.map(({ name }) => name).toReversed());

  await choose(page, "By name");
  const byName = mail.map(({ name }) => name).toSorted((a, b) => (a < b ? -1 : 1));
  await expect(list(page).getByRole("link").first()).toHaveText(byName[0] ?? "");
  await showAll(page);
  expect(await namesOn(page)).toEqual(byName);

  await choose(page, "Largest stored first");
  const bySize = mail.toSorted((a, b) => b.stored_bytes - a.stored_bytes).map(({ name }) => name);
  await expect(list(page).getByRole("link").first()).toHaveText(bySize[0] ?? "");
  await showAll(page);
  expect(await namesOn(page)).toEqual(bySize);
});

test("the full catalog is accessible, wide and narrow", async ({ page, planted }) => {
  expect(planted).toHaveLength(COUNT);
  await page.goto("/images");
  await expect(list(page)).toBeVisible();
  await look(page, "catalog-many");
  await page.setViewportSize({ width: 390, height: 900 });
  await page.getByRole("button", { name: "Show filters" }).click();
  await expectAccessibleInBothSchemes(page, 390);
});

test("any image can be found for a restore, by keys alone", async ({ page, planted, blank }) => {
  const name = planted[202]?.name ?? ""; // of 1 GiB, and no beginning of another
  await page.goto("/devices");
  await page.getByRole("button", { name: `Restore an image to ${blank.path}`, exact: true }).click();
  const picker = page.getByRole("combobox", { name: "Image" });
  await picker.focus();
  await picker.fill(name);
  await expect(page.getByRole("option")).toHaveText([new RegExp(`^${name}, 1 GiB`)]);
  await page.keyboard.press("Enter");
  await expect(picker).toHaveValue(new RegExp(`^${name}, 1 GiB`));
  await expect(page.getByRole("button", { name: `Restore to ${blank.path}` })).toBeEnabled();
  await picker.fill("nowhere");
  await expect(page.getByText("No image matches")).toBeVisible();
});

test("any image can be found for a trial, and others after it", async ({ page, planted }) => {
  const names = planted.slice(201, 203).map(({ name }) => name); // far from the newest
  await page.goto("/trials/new");
  const picker = page.getByRole("combobox", { name: "Find an image" });
  for (const name of names) {
    await picker.fill(name);
    await expect(page.getByRole("option")).toHaveText([new RegExp(`^${name}, `)]);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("group", { name: "Images" }).getByRole("checkbox", { name })).toBeChecked();
    await expect(picker).toHaveValue("");
  }
});
