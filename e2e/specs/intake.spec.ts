// The import of a file: complete, interrupted and continued, or refused.
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cancelOpenIntakes, deleteImageNamed, MIB } from "../fixtures/api";
import { expectAccessibleInBothSchemes } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

const prefix = `e2e-${Date.now().toString(36)}`;
const made: string[] = [];

/** A sparse file with something at its beginning and end. */
async function makeFile(
  name: string,
  size_bytes: number,
  head: Buffer = Buffer.from("not blank"),
): Promise<string> {
  const path = join(tmpdir(), `${prefix}-${name}`);
  const file = await open(path, "w");
  await file.truncate(size_bytes);
  await file.write(head, 0, head.length, 0);
  await file.write(Buffer.from("end"), 0, 3, size_bytes - 3);
  await file.close();
  made.push(path);
  return path;
}

test.afterEach(async () => {
  await cancelOpenIntakes();
  for (const path of made.splice(0)) await rm(path);
});

test("a file is imported from the catalog, and its image is like any other", async ({ page, sandbox }) => {
  const path = await makeFile("fresh.img", 24 * MIB);
  const name = `${prefix}-fresh`;
  await page.goto("/images");
  await page.getByRole("link", { name: "Import an image" }).first().click();
  await expect(page).toHaveURL(/\/images\/import$/);
  await page.locator("input[type=file]").first().setInputFiles(path);
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue(name);
  await page.getByRole("radio", { name: "Un-aged" }).check();
  await page.getByRole("textbox", { name: "Source" }).fill("made by a test");
  await page.getByRole("button", { name: `Import ${name}` }).click();
  const row = page.getByRole("listitem", { name });
  await expect(row.getByText("succeeded")).toBeVisible();
  await row.getByRole("link", { name }).click();

  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(page.getByText("Imported, un-aged, unrecognised content")).toBeVisible();
  await expect(page.getByText("made by a test")).toBeVisible();
  await expect(page.getByText("The import found bytes")).toBeVisible();
  await expect(page.getByRole("link", { name: "Download qcow2" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Recipe" })).toHaveCount(0);

  await page.getByRole("link", { name: "Restore to a device" }).click();
  await page.getByRole("button", { name: `Restore an image to ${sandbox.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Restore an image to ${sandbox.path}` });
  const restore = dialog.getByRole("button", { name: `Restore to ${sandbox.path}` });
  await expect(restore).toBeDisabled();
  await dialog.getByRole("checkbox", { name: /^Restore .* without knowing what it contains$/ }).check();
  await expect(restore).toBeEnabled();
  await expect(page.getByRole("listbox")).toBeHidden();
  await expectAccessibleInBothSchemes(page);
  await page.keyboard.press("Escape");
  await page.goto("/images");
  await expect(page.getByRole("listitem").filter({ hasText: name })).toContainText("content unknown");
  await deleteImageNamed(name);
});

test("an upload that lost its connection goes on, also after the window was closed", async ({ page }) => {
  const path = await makeFile("cut.img", 24 * MIB);
  const name = `${prefix}-cut`;
  let sent = 0;
  await page.route("**/file", (route) => (++sent > 2 ? route.abort() : route.continue()));
  await page.goto("/images/import");
  await page.locator("input[type=file]").first().setInputFiles(path);
  await page.getByRole("button", { name: `Import ${name}` }).click();
  const row = page.getByRole("listitem", { name });
  await expect(row.getByText("Connection lost.")).toBeVisible();
  await expect(row.getByText("8 MiB of 24 MiB")).toBeVisible();

  await page.reload();
  await expect(row.getByText("Choose the same file again to continue.")).toBeVisible();
  await page.unroute("**/file");
  const other = await makeFile("other.img", 24 * MIB);
  await row.locator("input[type=file]").setInputFiles(other);
  await expect(row.getByRole("alert")).toContainText("This is a different file");
  await row.locator("input[type=file]").setInputFiles(path);
  await expect(row.getByText("succeeded")).toBeVisible();
  await deleteImageNamed(name);
});

test("a file that cannot be an image is refused with what to do, and a taken name too", async ({ page }) => {
  const path = await makeFile("odd.img", MIB + 3);
  const name = `${prefix}-odd`;
  await page.goto("/images/import");
  await page.locator("input[type=file]").first().setInputFiles(path);
  await page.getByRole("button", { name: `Import ${name}` }).click();
  const row = page.getByRole("listitem", { name });
  await expect(row.getByRole("alert")).toContainText("truncate --size=%512");

  const large = await makeFile("large.img", 24 * MIB);
  await page.route("**/file", (route) => route.abort());
  const ask = async () => {
    await expect(page.getByRole("button", { name: "Import an image" })).toBeDisabled();
    await page.locator("input[type=file]").first().setInputFiles(large);
    await page.getByRole("textbox", { name: "Name" }).fill(`${prefix}-taken`);
    await page.getByRole("button", { name: `Import ${prefix}-taken` }).click();
  };
  await ask();
  await ask();
  await expect(page.getByRole("form").getByRole("alert")).toContainText("This name is taken");
  await page.getByRole("button", { name: `Cancel ${prefix}-taken` }).click();
  await expect(
    page.getByRole("listitem", { name: `${prefix}-taken` }).getByText("canceled", { exact: true }),
  ).toBeVisible();
});
