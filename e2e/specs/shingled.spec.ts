// A shingled disk: made on the page, aged with SMRfs, which alone is offered, and what is wrong said at its field.
import { MIB, runWhenEnded } from "../fixtures/api";
import { cardOf, choose, madeBy, removeMade } from "../fixtures/emulated";
import { look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

test.afterEach(removeMade);

test("a Caveat-Scriptor disk is made, aged and said on its card", async ({ page }) => {
  await page.goto("/devices");
  await page.getByRole("button", { name: "Make a shingled disk" }).click();
  const form = page.getByRole("dialog", { name: "Make a shingled disk" });
  await expect(form.getByRole("textbox", { name: "Size" })).toHaveValue("4 GiB");
  await expect(form.getByRole("textbox", { name: "DID" })).toHaveValue("16");
  await expect(form.getByRole("textbox", { name: "DNOR" })).toHaveValue("0");
  await expect(form.getByRole("combobox", { name: "Policy of placement" })).toHaveValue("Best fit");
  await look(page, "shingled-form");
  await page.setViewportSize({ width: 1440, height: 900 });
  await form.getByRole("textbox", { name: "Size" }).fill("160 MiB");
  await form.getByText("In memory").click();
  const device = await madeBy(() => form.getByRole("button", { name: "Make shingled disk" }).click());
  await expect(form).toBeHidden();
  expect(device).toMatchObject({ size_bytes: 160 * MIB, medium: "memory", emulation: null });
  expect(device.shingle).toEqual({ interface: "caveat", did_blocks: 16, dnor_blocks: 0, policy: "best" });

  const card = cardOf(page, device);
  await expect(card).toContainText("Caveat-Scriptor, DID 16, DNOR 0, policy best");
  await card.getByRole("button", { name: `Age ${device.path}`, exact: true }).click();
  const aging = page.getByRole("dialog", { name: `Age ${device.path}` });
  await expect(aging.getByRole("combobox", { name: "File system" })).toHaveValue("smrfs");
  await aging.getByRole("combobox", { name: "File system" }).click();
  await expect(page.getByRole("option", { name: /^ext4/ })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await choose(page, aging, "Mode", /^Fast/);
  await aging.getByRole("textbox", { name: "Fullness" }).fill("5");
  await aging.getByText("More", { exact: true }).click();
  await aging.getByRole("textbox", { name: "Stop at overwrites" }).fill("0.2");
  await aging.getByRole("button", { name: `Age ${device.path} to` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  const run = await runWhenEnded(Number(new URL(page.url()).pathname.split("/").at(-1)));
  expect(run.state, run.message).toBe("succeeded");
  expect(run.added_mkfs_options).toBe("--interface caveat --did 16 --dnor 0");
  expect(run.added_mount_options).toBe("policy=best");
  const map = page.getByRole("figure", { name: "Block map" });
  for (const use of ["metadata", "files", "unusable", "free but maybe damaged"]) {
    await expect(map).toContainText(new RegExp(`${use}, \\d`));
  }
  await look(page, "shingled-run");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/devices");
  await expect(card).toContainText(/Holds\s*image/i);
  await look(page, "shingled-card");
});

test("by keys alone: what is wrong is said at its field, and a strict-append disk is made", async ({
  page,
}) => {
  await page.goto("/devices?shingled=true");
  const form = page.getByRole("dialog", { name: "Make a shingled disk" });
  const size = form.getByRole("textbox", { name: "Size" });
  const make = form.getByRole("button", { name: "Make shingled disk" });
  await expect(size).toBeFocused();
  await page.keyboard.type("144 MiB");
  await page.keyboard.press("Tab"); // the field for the interface
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  const dnor = form.getByRole("textbox", { name: "DNOR" });
  await expect(dnor).toBeFocused();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("17");
  await expect(form.getByText("At most the DID, 16 blocks")).toBeVisible();
  await expect(make).toBeDisabled();
  const shingling = form.getByRole("combobox", { name: "Interface" });
  await shingling.focus();
  await page.keyboard.press("Enter");
  const wanted = page.getByRole("option", { name: "Strict append" });
  await expect(wanted).toBeVisible();
  // The list marks its first choice only after it has opened.
  await expect(async () => {
    await page.keyboard.press("ArrowDown");
    await expect(wanted).toHaveAttribute("data-combobox-selected", "true", { timeout: 500 });
  }).toPass();
  await page.keyboard.press("Enter");
  await expect(shingling).toHaveValue("Strict append");
  await expect(
    form.getByText("Two bands do not fit: 128 MiB are left behind the metadata partition"),
  ).toBeVisible();
  await look(page, "shingled-wrong");
  await page.setViewportSize({ width: 1440, height: 900 });
  await form.getByRole("textbox", { name: "Band" }).focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("8 MiB");
  await expect(make).toBeEnabled();
  const device = await madeBy(() => page.keyboard.press("Enter"));
  await expect(form).toBeHidden();
  expect(device.shingle).toEqual({
    interface: "strict-append",
    did_blocks: 16,
    band_bytes: 8 * MIB,
    clean: "greedy",
  });
  await expect(cardOf(page, device)).toContainText("Strict append, DID 16, bands of 8 MiB, cleaner greedy");
});
