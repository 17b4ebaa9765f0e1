// Sources of histograms other than editing: pasted columns, files, fits, directories on a host.
import { readFile } from "node:fs/promises";
import { look } from "../../fixtures/look";
import { bar, expect, openEditor, test, weightOf } from "../../fixtures/profile";
import { downloadBy } from "../../fixtures/saved";

test("columns pasted from a spreadsheet are previewed row by row, and the good ones taken", async ({
  page,
  profile,
}) => {
  await openEditor(page, profile.name);
  await page.getByRole("button", { name: "Paste or open…" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste or open" });
  await dialog.getByRole("textbox", { name: "Or paste columns" }).fill("1024\t3\nfour\t5\n65536\t9");
  await dialog.getByRole("button", { name: "Read the columns" }).click();
  await expect(dialog.getByRole("status")).toContainText("size with 2 bins. 1 of 3 rows are invalid");
  await expect(dialog.getByRole("row", { name: /line 2/ })).toContainText("'four' is not a number");
  await dialog.getByRole("button", { name: "Take size" }).click();
  await expect(page.getByRole("group", { name: "Bars of size" }).getByRole("slider")).toHaveCount(2);
  await expect(bar(page, "Size 64 KiB")).toHaveAttribute("aria-valuetext", "9");
  await page.getByRole("button", { name: "Undo what was read" }).click();
  await expect(page.getByRole("group", { name: "Bars of size" }).getByRole("slider")).toHaveCount(8);
});

test("what is pasted onto the page itself opens the same preview", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "10\t1\n20\t2");
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  });
  const dialog = page.getByRole("dialog", { name: "Paste or open" });
  await expect(dialog.getByRole("textbox", { name: "Or paste columns" })).toHaveValue("10\t1\n20\t2");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText("No changes yet")).toBeVisible();
});

test("a CSV file is read with its bad row named, and cancelled without a trace", async ({
  page,
  profile,
}) => {
  await openEditor(page, profile.name);
  await page.getByRole("button", { name: "Paste or open…" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste or open" });
  const csv = "histogram,edge,weight,subdirs\nsize,1024,3,\ndepth,0,1,2\nage,10,-1,\nage,20,4,\n";
  await dialog
    .locator("input[type=file]")
    .setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await expect(dialog.getByRole("row", { name: /mine\.csv, line 4/ })).toContainText("negative");
  await expect(dialog.getByRole("button", { name: "Take size, depth, age" })).toBeEnabled();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("No changes yet")).toBeVisible();
});

test("a CSV of two columns asks which histogram it is, and leads on to the saved profile", async ({
  page,
}) => {
  await page.goto("/profiles/new");
  await page.getByRole("button", { name: "Paste or open…" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste or open" });
  await dialog
    .locator("input[type=file]")
    .setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from("1024,3\n65536,9\n") });
  await expect(dialog.getByRole("alert")).toContainText("Which histogram is it?");
  const choice = dialog.getByRole("group", { name: "Which histogram is it?" });
  await expect(choice.getByRole("button", { name: "Size" })).toBeFocused();
  await look(page, "profile-edit-which");
  await choice.getByRole("button", { name: "Size" }).press("Enter");
  await expect(dialog.getByRole("status")).toContainText("Two columns, mine.csv: size with 2 bins.");
  await expect(dialog).toContainText(
    "Next: take size onto the page. The histograms of depth and age stay as on the page",
  );
  await expect(dialog.getByRole("button", { name: "Take size" })).toBeFocused();
  await look(page, "profile-edit-read");
  await dialog.getByRole("button", { name: "Read something else" }).press("Enter");
  await expect(dialog.getByRole("textbox", { name: "Or paste columns" })).toBeFocused();
  const named = { name: "ages.csv", mimeType: "text/csv", buffer: Buffer.from("age,weight\n10,1\n100,4\n") };
  await dialog.locator("input[type=file]").setInputFiles(named);
  await expect(dialog.getByRole("status")).toContainText("Two columns, ages.csv: age with 2 bins.");
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("group", { name: "Bars of age" }).getByRole("slider")).toHaveCount(2);
  await expect(page.getByText("Check the histograms and their forecast")).toBeVisible();
  const large = bar(page, "Size 512 B");
  await large.focus();
  await expect(page.getByText(/^Size up to 512 B:/)).toBeVisible();
  await large.press("Enter");
  await expect(page.getByRole("textbox", { name: "Percent, Size 512 B" })).toBeFocused();
  await expect(page.getByText(/^Size up to 512 B:/)).toHaveCount(0);
});

test("the file of a scan elsewhere is opened from the dialog that names its command", async ({
  page,
  profile,
}) => {
  await openEditor(page, profile.name);
  await page.getByRole("button", { name: "Scan a directory…" }).click();
  const scan = page.getByRole("dialog", { name: "Scan a directory" });
  await expect(scan).toContainText("patina-core scan /srv/projects | tail -n 1 > projects.json");
  await scan.getByRole("button", { name: "Open the file of a scan…" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste or open" });
  const buffer = await readFile("../native/contract/scan.jsonl");
  await dialog
    .locator("input[type=file]")
    .setInputFiles({ name: "projects.json", mimeType: "application/json", buffer });
  await dialog.getByRole("button", { name: "Take size, depth, age" }).click();
  await expect(page.getByRole("button", { name: "Undo what was read" })).toBeVisible();
});

test("the three texts of a Geriatrix profile are dropped together", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  await page.getByRole("button", { name: "Paste or open…" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste or open" });
  const texts = {
    "size_distribution.txt": "2\n4096 1\n8192 3\n",
    "dir_distribution.txt": "3\n0 1 0\n1 2 4\n2 1 2\n",
    "age_distribution.txt": "2\n1 0.25\n10 0.75\n",
  };
  const files = await page.evaluateHandle((named) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(named)) transfer.items.add(new File([text], name));
    return transfer;
  }, texts);
  await dialog.getByRole("group", { name: "Files" }).dispatchEvent("drop", { dataTransfer: files });
  await dialog.getByRole("button", { name: "Take size, depth, age" }).click();
  await expect(bar(page, "Size 8 KiB")).toHaveAttribute("aria-valuetext", "3");
  await expect(page.getByRole("group", { name: "Bars of depth" }).getByRole("slider")).toHaveCount(3);
});

test("a file that is none is refused with what to do", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  await page.getByRole("button", { name: "Paste or open…" }).click();
  const dialog = page.getByRole("dialog", { name: "Paste or open" });
  await dialog.locator("input[type=file]").setInputFiles({
    name: "photo.png",
    mimeType: "image/png",
    buffer: Buffer.from([137, 80, 78, 71, 0, 1, 2]),
  });
  await expect(dialog.getByRole("alert")).toContainText("This file was not understood");
});

for (const format of ["Patina JSON", "Geriatrix zip", "CSV"]) {
  test(`an export as ${format} imported again is the same profile, digest and all`, async ({
    page,
    profile,
  }) => {
    await page.goto(`/profiles/${profile.name}`);
    const link = page.getByRole("link", { name: `${format} of version 1` });
    const download = await downloadBy(page, () => link.click());
    const buffer = await readFile(await download.path());
    await page.goto("/profiles/new");
    await page.getByRole("button", { name: "Paste or open…" }).click();
    const dialog = page.getByRole("dialog", { name: "Paste or open" });
    const answer = page.waitForResponse("**/profile_readings");
    const file = { name: download.suggestedFilename(), mimeType: "application/octet-stream", buffer };
    await dialog.locator("input[type=file]").setInputFiles(file);
    expect(((await (await answer).json()) as { digest: string }).digest).toBe(profile.latest_version.digest);
    await dialog.getByRole("button", { name: "Take size, depth, age" }).click();
    await expect(page.getByRole("group", { name: "Bars of size" }).getByRole("slider")).toHaveCount(8);
  });
}

test("a fit is drawn over the bars, then applied, by its parameters too", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  const sizes = page.getByRole("group", { name: "Bars of size" }).getByRole("slider");
  const before = await weightOf(sizes.first());
  await page.getByRole("button", { name: "Fit…" }).click();
  const panel = page.getByRole("group", { name: "Fit a distribution" });
  await panel.getByRole("combobox", { name: "Distribution" }).click();
  await page.getByRole("option", { name: "Lognormal", exact: true }).click();
  await expect(panel).toContainText("Kolmogorov-Smirnov");
  expect(await weightOf(sizes.first())).toBe(before);
  await panel.getByRole("textbox", { name: "Median" }).fill("2 KiB");
  await expect(panel.getByRole("button", { name: "Fit to the bars again" })).toBeVisible();
  await panel.getByRole("button", { name: "Apply to the bars" }).click();
  await expect.poll(() => weightOf(sizes.first())).not.toBe(before);
  await page.getByRole("button", { name: "Undo a fit of size" }).click();
  await expect.poll(() => weightOf(sizes.first())).toBe(before);
});

test("a depth is fitted with a Poisson distribution by keys alone", async ({ page, profile }) => {
  await openEditor(page, profile.name);
  await page.getByRole("button", { name: "Fit…" }).press("Enter");
  const panel = page.getByRole("group", { name: "Fit a distribution" });
  await panel.getByRole("combobox", { name: "Histogram" }).press("ArrowDown");
  const depth = page.getByRole("option", { name: "Depth" });
  await expect(depth).toBeVisible(); // an arrow that comes before the list is open only opens it
  await page.keyboard.press("ArrowDown");
  await expect(depth).toHaveAttribute("data-combobox-selected", "true");
  await page.keyboard.press("Enter");
  await expect(panel.getByRole("combobox", { name: "Distribution" })).toHaveValue("Poisson");
  const mean = panel.getByRole("textbox", { name: "Mean depth" });
  await mean.fill("2.5");
  await mean.press("Enter");
  await expect(panel).toContainText("Kolmogorov-Smirnov");
  await panel.getByRole("button", { name: "Apply to the bars" }).press("Enter");
  await expect(page.getByRole("button", { name: "Undo a fit of depth" })).toBeVisible();
  expect(await weightOf(bar(page, "Depth 2"))).toBeGreaterThan(await weightOf(bar(page, "Depth 7")));
});

test("a directory of a host is scanned into a draft; one that is not allowed is refused", async ({
  page,
  profile,
}) => {
  await openEditor(page, profile.name);
  await page.getByRole("button", { name: "Scan a directory…" }).click();
  const dialog = page.getByRole("dialog", { name: "Scan a directory" });
  const field = dialog.getByRole("combobox", { name: "Directory" });
  const allowed = await field.inputValue();
  await field.fill("/etc");
  await dialog.getByRole("button", { name: "Scan /etc" }).click();
  await expect(dialog.getByRole("alert")).toContainText("This directory may not be read");
  const missing = `${allowed}/no-such-directory`;
  await field.fill(missing);
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("status")).toContainText("failed");
  await expect(dialog.getByText("no-such-directory:")).toHaveCount(1);
  await expect(dialog.getByRole("alert")).toContainText("Check the name of the directory");
  await expect(dialog.getByRole("alert")).toHaveText(/^[A-Z]/);
  await dialog.getByRole("button", { name: "Scan another directory" }).click();
  await expect(field).toHaveValue(missing);
  await field.fill(allowed);
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("status")).toContainText("succeeded");
  await expect(dialog.getByLabel("Found")).toContainText("Files");
  await expect(dialog).toContainText("Ages count from");
  await dialog.getByRole("button", { name: "Take the histograms" }).click();
  await expect(page.getByRole("button", { name: "Undo a scan" })).toBeVisible();
});
