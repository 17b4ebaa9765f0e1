// Ctrl-K: goes to anything and starts anything, by the keyboard alone.
import type { Page } from "@playwright/test";
import { expectAccessibleInBothSchemes, look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

test.use({ contextOptions: { reducedMotion: "reduce" } });

const paletteOn = (page: Page) => page.getByRole("dialog", { name: "Go to anything" });

async function open(page: Page, path = "/hosts"): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("button", { name: "Go to…" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Go to" })).toBeFocused();
}

/** Types words, waits for an option, and opens it with Enter. */
async function goTo(page: Page, words: string, option: string | RegExp): Promise<void> {
  await expect(page.getByRole("combobox", { name: "Go to" })).toBeFocused();
  await page.keyboard.type(words);
  const wanted = page.getByRole("option", { name: option }).first();
  await expect(wanted).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "Searching" })).toHaveCount(0);
  for (let pressed = 0; pressed < 30; pressed += 1) {
    if ((await wanted.getAttribute("aria-selected")) === "true") break;
    await page.keyboard.press("ArrowDown");
  }
  await expect(wanted).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(paletteOn(page)).toHaveCount(0);
}

test("goes to a device, a run, an image, a profile, a host, a document and a term", async ({
  page,
  aged,
}) => {
  const { device, run, image } = aged;
  await open(page);
  await goTo(page, image.name, new RegExp(`^${image.name}`));
  await expect(page).toHaveURL(new RegExp(`/images/${image.id}$`));
  await page.keyboard.press("Control+k");
  await goTo(page, `run ${run.id}`, new RegExp(`^Run ${run.id},`));
  await expect(page).toHaveURL(new RegExp(`/runs/${run.id}$`));
  await page.keyboard.press("Control+k");
  await goTo(page, String(image.id), new RegExp(`image ${image.id},`));
  await expect(page).toHaveURL(new RegExp(`/images/${image.id}$`));
  await page.keyboard.press("Control+k");
  await goTo(page, "agrawal 2007", /^Agrawal 2007/);
  await expect(page).toHaveURL(/\/profiles\/agrawal$/);
  await page.keyboard.press("Control+k");
  await goTo(page, "integer floor", /^integer floor/);
  await expect(page).toHaveURL(/\/help\/glossary#integer-floor$/);
  await page.keyboard.press("Control+k");
  await goTo(page, device.path ?? "", new RegExp(`^${device.path},`));
  await expect(page).toHaveURL(new RegExp(`/devices#device-${device.id}$`));
});

test("starts things: ages a device, restores an image, makes a profile, switches the scheme", async ({
  page,
  aged,
  blank,
}) => {
  await open(page);
  await goTo(page, `age ${blank.path}`, new RegExp(`^Age ${blank.path},`));
  await expect(page.getByRole("dialog", { name: `Age ${blank.path}` })).toBeVisible();
  await page.keyboard.press("Escape");
  await open(page);
  await goTo(page, `restore ${aged.image.name}`, new RegExp(`^Restore ${aged.image.name}`));
  const placing = page.getByRole("status").filter({ hasText: "Choose a device to restore" });
  await expect(placing).toContainText(aged.image.name);
  await page.keyboard.press("Control+k");
  await goTo(page, "new prof", "New profile");
  await expect(page).toHaveURL(/\/profiles\/new$/);
  const html = page.locator("html");
  const before = await html.getAttribute("data-mantine-color-scheme");
  await page.keyboard.press("Control+k");
  await goTo(page, "dark", /^Switch to/);
  await expect(html).not.toHaveAttribute("data-mantine-color-scheme", before ?? "");
});

test("offers the devices to age, makes a sandbox device, and leads to the choice of runs", async ({
  page,
  blank,
  aged,
}) => {
  await open(page, "/devices");
  await page.keyboard.type("age a device");
  await expect(page.getByRole("option", { name: /^Age a device…/ })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Go to" })).toHaveValue("Age ");
  await goTo(page, blank.path ?? "", new RegExp(`^Age ${blank.path},`));
  await expect(page.getByRole("dialog", { name: `Age ${blank.path}` })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await goTo(page, "sandbox", "Make a sandbox device");
  await expect(page.getByRole("dialog", { name: /sandbox/i })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/devices$/);
  expect(aged.run.state).toBe("succeeded");
  await page.keyboard.press("Control+k");
  await goTo(page, "compare runs", "Compare runs");
  await expect(page.getByRole("checkbox", { name: /^Choose (all runs|the first)/ })).toBeFocused();
});

test("over a dialog, Escape closes the palette alone", async ({ page, blank }) => {
  await page.goto(`/devices?age=${blank.id}`);
  const dialog = page.getByRole("dialog", { name: `Age ${blank.path}` });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Go to" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(paletteOn(page)).toHaveCount(0);
  await expect(dialog).toBeVisible();
});

test("asks the server nothing until words are typed, and says when nothing has that name", async ({
  page,
}) => {
  await page.goto("/help/");
  await expect(page.getByRole("heading", { level: 1, name: "Help" })).toBeVisible();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.getByRole("button", { name: "Go to…" }).click();
  await expect(page.getByRole("option", { name: "Import an image" })).toBeVisible();
  expect(asked.filter((path) => /\/api\/v1\/(runs|images|profiles|trials)/.test(path))).toEqual([]);
  await expectAccessibleInBothSchemes(page);
  await page.keyboard.type("zzzz-nothing");
  await expect(
    page.getByRole("status").filter({ hasText: "Nothing is called “zzzz-nothing”" }),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(paletteOn(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Go to…" })).toBeFocused();
});

test("says that the server did not answer, and searches again", async ({ page, aged }) => {
  await open(page);
  const isSearch = /\/api\/v1\/images\?/;
  await page.route(isSearch, (route) => route.abort());
  await page.keyboard.type(aged.image.name);
  await expect(paletteOn(page).getByRole("alert")).toContainText("did not answer");
  await page.unroute(isSearch);
  await paletteOn(page).getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("option", { name: new RegExp(`^${aged.image.name}`) }).first()).toBeVisible();
  await expect(paletteOn(page).getByRole("alert")).toHaveCount(0);
});

test("is accessible and fits with results", async ({ page, aged }) => {
  await open(page);
  await page.keyboard.type(aged.image.name);
  await expect(page.getByRole("option", { name: new RegExp(`^${aged.image.name}`) }).first()).toBeVisible();
  await look(page, "palette");
});
