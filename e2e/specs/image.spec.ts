// An image: found in the catalog, with the API's figures and byte-exact downloads.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Download, Page } from "@playwright/test";
import {
  downloadsOf,
  imageOf,
  layoutOf,
  makeSandbox,
  removeSandbox,
  runWhenEnded,
  startRun,
} from "../fixtures/api";
import { runShell } from "../fixtures/host";
import { askToDelete } from "../fixtures/image";
import { expectAccessibleInBothSchemes, look } from "../fixtures/look";
import { downloadBy } from "../fixtures/saved";
import { expect, SANDBOX_BYTES, test } from "../fixtures/test";

async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

function downloaded(page: Page, name: string): Promise<Download> {
  return downloadBy(page, () => page.getByRole("link", { name, exact: true }).click());
}

test("the catalog leads to the image, whose recipe and figures are the API's", async ({ page, aged }) => {
  const { image, run } = aged;
  await page.goto("/images");
  await page.getByRole("link", { name: image.name, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/images/${image.id}$`));
  await expect(page.getByRole("heading", { name: image.name })).toBeVisible();
  await expect(page.getByText(image.index_digest, { exact: true })).toBeVisible();
  await expect(page.getByText(image.summary.plan_digest)).toBeVisible();
  await expect(page.getByText(String(image.recipe.seed), { exact: true })).toBeVisible();
  await expect(page.getByTitle(`${image.stored_bytes.toLocaleString("en-GB")} bytes`).first()).toBeVisible();
  await expect(page.getByRole("img", { name: /stored of 128 MiB/ })).toBeVisible();
  const provenance = page.getByRole("region", { name: "Provenance" });
  await expect(provenance.getByText(image.device_stable_id)).toBeVisible();
  await expect(provenance.getByRole("link", { name: image.profile_title })).toBeVisible();
  await provenance.getByRole("link", { name: `run ${run.id}`, exact: true }).click();
  await expect(page.getByRole("heading", { name: `Run ${run.id}` })).toBeVisible();
});

test("the index downloads as the bytes that its digest names", async ({ page, aged }) => {
  await page.goto(`/images/${aged.image.id}`);
  const download = await downloaded(page, "Download the index");
  expect(download.suggestedFilename()).toBe(`${aged.image.name}.caibx`);
  expect(await sha256(await download.path())).toBe(aged.image.index_digest);
});

test("the manifest downloads as the document that its digest names", async ({ page, aged }) => {
  await page.goto(`/images/${aged.image.id}`);
  await expect(page.getByText(String(aged.image.manifest_digest))).toBeVisible();
  const download = await downloaded(page, "Download the manifest");
  expect(download.suggestedFilename()).toBe(`${aged.image.name}.manifest.json`);
  expect(await sha256(await download.path())).toBe(aged.image.manifest_digest);
});

test("the layout report is what was measured, and the block map is a table as well", async ({
  page,
  aged,
}) => {
  const layout = await layoutOf(aged.image.id);
  await page.goto(`/images/${aged.image.id}`);
  const report = page.getByRole("region", { name: "Layout report" });
  const score = report.getByRole("definition").filter({ hasText: "1 is unfragmented" });
  await expect(score).toContainText(String(layout.files?.layout_score?.toFixed(3)));
  await expect(report.getByText(String(layout.layout_digest))).toBeVisible();
  await expect(report.getByRole("img", { name: /^Blocks: .* files, .* free$/ })).toBeVisible();
  await report.getByRole("button", { name: "Block map: view as table" }).click();
  const rows = report.getByRole("region", { name: "Block map, as a table" }).getByRole("row");
  await expect(rows).toHaveCount(1 + (layout.block_map?.free_blocks.length ?? 0));
});

test("an image keeps what was chosen when the device was aged", async ({ page, sandbox }) => {
  await page.goto("/devices");
  await page.getByRole("button", { name: `Age ${sandbox.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Profile" }).click();
  await page.getByRole("option", { name: "Agrawal 2007" }).click();
  await dialog.getByRole("textbox", { name: "Fullness" }).fill("10");
  await dialog.getByRole("combobox", { name: "The image keeps" }).click();
  await page.getByRole("option", { name: "No contents" }).click();
  await expect(dialog.getByText("The same files in the same places, read as zero")).toBeVisible();
  await dialog.getByRole("button", { name: `Age ${sandbox.path} to` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  const run = await runWhenEnded(Number(new URL(page.url()).pathname.split("/").at(-1)));
  expect(run.state, run.message).toBe("succeeded");
  await page.getByRole("link", { name: "Open the image" }).click();
  await expect(page.getByText("Mode metadata: files, directories and free space")).toBeVisible();
});

for (const format of ["raw", "raw.zst", "qcow2"] as const) {
  test(`the ${format} downloads as the bytes whose digest the page computes and keeps`, async ({
    page,
    aged,
  }) => {
    await page.goto(`/images/${aged.image.id}`);
    const row = page.getByRole("listitem", { name: format, exact: true });
    const download = await downloaded(page, `Download ${format}`);
    expect(download.suggestedFilename()).toBe(`${aged.image.name}.${format}`);
    const digest = await sha256(await download.path());
    await row.getByRole("button", { name: `Compute SHA-256 of ${format}` }).click();
    await expect(row.getByText(digest)).toBeVisible();
    const { items } = await downloadsOf(aged.image.id);
    expect(items.find((item) => item.format === format)?.sha256).toBe(digest);
    await page.reload();
    await expect(row.getByText(digest)).toBeVisible();
  });
}

test("the casync line is copied as it stands, and gives the device's bytes", async ({
  page,
  context,
  aged,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/images/${aged.image.id}`);
  await page.getByRole("button", { name: "Copy casync command" }).click();
  await expect(page.getByRole("button", { name: "Copied casync command" })).toBeVisible();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).toBe((await downloadsOf(aged.image.id)).extract_command);
  expect(line).toContain(`://token:$PATINA_TOKEN@${new URL(page.url()).host}/store`);
  const folder = await mkdtemp(join(tmpdir(), "patina-casync-"));
  await runShell(line, folder);
  const raw = await (await downloaded(page, "Download raw")).path();
  expect(await sha256(join(folder, `${aged.image.name}.raw`))).toBe(await sha256(raw));
  await rm(folder, { recursive: true });
});

test("downloads that cannot be told leave the rest of the page, and come back", async ({ page, aged }) => {
  await page.route("**/downloads", (route) =>
    route.fulfill({
      status: 500,
      contentType: "application/problem+json",
      json: { code: "chunk_missing", detail: "The store lacks the chunk abc.", errors: [] },
    }),
  );
  await page.goto(`/images/${aged.image.id}`);
  await expect(page.getByRole("alert")).toContainText("The store lacks the chunk abc.");
  await expect(page.getByRole("heading", { name: "Recipe" })).toBeVisible();
  await page.unroute("**/downloads");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("listitem", { name: "qcow2" })).toBeVisible();
});

test("the downloads are reached and used by keyboard", async ({ page, aged }) => {
  await page.goto(`/images/${aged.image.id}`);
  const link = page.getByRole("link", { name: "Download raw.zst" });
  await link.focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await expect(link).toBeFocused();
  const download = await downloadBy(page, () => page.keyboard.press("Enter"));
  expect(download.suggestedFilename()).toBe(`${aged.image.name}.raw.zst`);
});

test("an image that never was says so, and leads back to the catalog", async ({ page }) => {
  await page.goto("/images/999999999");
  await expect(page.getByText("There is no image 999999999.")).toBeVisible();
  await expectAccessibleInBothSchemes(page);
  await page.getByRole("link", { name: "Go to the catalog" }).click();
  await expect(page).toHaveURL(/\/images$/);
});

test("an image is deleted after saying what that frees, and brought back", async ({ page }) => {
  const device = await makeSandbox(SANDBOX_BYTES);
  const image = await imageOf((await runWhenEnded((await startRun(device, "agrawal", 0.3)).id)).id);
  await page.goto(`/images/${image.id}`);
  await askToDelete(page);
  const dialog = page.getByRole("dialog", { name: `Delete ${image.name}?` });
  await expect(dialog.getByText(/It frees .*iB of the store/)).toBeVisible();
  await expect(dialog.getByText(`Held by ${device.path}`)).toBeVisible();
  await dialog.getByRole("button", { name: `Delete ${image.name}` }).click();
  const gone = page.getByRole("link", { name: image.name, exact: true });
  const notice = page.getByRole("status").filter({ hasText: `Image ${image.name} is deleted.` });
  await expect(page).toHaveURL(/\/images$/);
  await expect(gone).toHaveCount(0);
  await notice.getByRole("button", { name: "Bring it back" }).click();
  await expect(gone).toBeVisible();
  await expect(notice).toHaveCount(0);

  await gone.click();
  await askToDelete(page);
  await dialog.getByRole("button", { name: `Delete ${image.name}` }).click();
  await expect(page).toHaveURL(/\/images$/);
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Image deleted" })).toBeVisible();
  await expect(page.getByText(`Image ${image.name} is deleted. It can be brought back until`)).toBeVisible();
  await page.getByRole("link", { name: "Trash" }).click();
  const rows = page.getByRole("list", { name: "Deleted images" }).getByRole("listitem");
  const row = rows.filter({ hasText: image.name });
  await expect(row).toBeVisible();
  await look(page, "trash");
  await row.getByRole("button", { name: "Bring it back" }).click();
  await expect(row).toHaveCount(0);
  const said = page.getByRole("status").filter({ hasText: `Image ${image.name} is back in the catalog.` });
  await expect(said.getByRole("link", { name: image.name })).toBeVisible();
  await page.goto(`/images/${image.id}`);
  await expect(page.getByRole("heading", { name: image.name })).toBeVisible();
  await removeSandbox(device.id);
});

test("a restore begins at the image, and carries it to the device", async ({ page, aged, blank }) => {
  await page.goto(`/images/${aged.imported.id}`);
  await page.getByRole("link", { name: "Restore to a device" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Choose a device to restore" })).toContainText(
    aged.imported.name,
  );
  await page.getByRole("button", { name: `Restore an image to ${blank.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Restore an image to ${blank.path}` });
  const picker = dialog.getByRole("combobox", { name: "Image" });
  await expect(picker).toHaveValue(new RegExp(`^${aged.imported.name},`));
  await expect(dialog.getByRole("button", { name: `Restore to ${blank.path}` })).toBeEnabled();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();

  await page.goto("/devices");
  await page.getByRole("button", { name: `Restore an image to ${blank.path}`, exact: true }).click();
  await expect(picker).toHaveValue("");
  await expect(dialog.getByRole("button", { name: `Restore to ${blank.path}` })).toBeDisabled();
});

test("an image that does not fit on the chosen device is refused before it is sent", async ({
  page,
  aged,
  sandbox,
}) => {
  await page.goto(`/devices?restore=${aged.image.id}`);
  await page.getByRole("button", { name: `Restore an image to ${sandbox.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Restore an image to ${sandbox.path}` });
  await expect(dialog.getByRole("alert")).toContainText("Choose a larger device.");
  await expect(dialog.getByRole("button", { name: `Restore to ${sandbox.path}` })).toBeDisabled();
});

test("an image is cited as text, as BibTeX, and by a README that says how to make it again", async ({
  page,
  aged,
}) => {
  const { image } = aged;
  await page.goto(`/images/${image.id}`);
  const cite = page.getByRole("region", { name: "Cite" });
  await expect(cite.getByText(`SHA-256 ${image.index_digest}.`)).toBeVisible();
  await cite.getByText("BibTeX", { exact: true }).click();
  await expect(cite.getByText("@misc{")).toBeVisible();
  await cite.getByText("README", { exact: true }).click();
  await expect(cite.getByText(`--seed ${image.recipe.seed}`)).toBeVisible();
  await expect(cite.getByText(`patina pull ${image.name}`)).toBeVisible();
});
