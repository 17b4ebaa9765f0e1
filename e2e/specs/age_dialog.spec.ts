// The dialog that ages a device: what it shows is what is sent, and the recipe has it.
import type { Page } from "@playwright/test";
import { getRun, imageOf, makeSandbox, removeSandbox, runWhenEnded, type Device } from "../fixtures/api";
import { look } from "../fixtures/look";
import { expect, SANDBOX_BYTES, test } from "../fixtures/test";

const made: number[] = [];

test.afterEach(async () => {
  for (const device_id of made.splice(0)) await removeSandbox(device_id);
});

async function newSandbox(medium: "file" | "memory" = "memory"): Promise<Device> {
  const device = await makeSandbox(SANDBOX_BYTES, medium);
  made.push(device.id);
  return device;
}

async function openDialog(page: Page, { path }: Device) {
  await page.goto("/devices?profile=agrawal");
  await page.getByRole("button", { name: `Age ${path}`, exact: true }).click();
  return page.getByRole("dialog", { name: `Age ${path}` });
}

test("options of mkfs and mount, the name of the image and a note are sent, used, and in the recipe", async ({
  page,
}) => {
  const device = await newSandbox();
  const name = `options-${device.id}`;
  const dialog = await openDialog(page, device);
  await dialog.getByText("Options of mkfs and mount").click();
  await expect(dialog.getByText("They change the layout")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Added mkfs options" }).fill("-i 8192 -O ^metadata_csum");
  await dialog.getByRole("textbox", { name: "Added mount options" }).fill("nodelalloc");
  await expect(dialog.getByText("Options of mkfs and mount (2 added)")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Name of the image" }).fill(name);
  await dialog.getByRole("textbox", { name: "Note" }).fill("Half the bytes per inode");
  await dialog.getByRole("textbox", { name: "Fullness" }).fill("50.5");
  await dialog.getByRole("button", { name: `Age ${device.path} to Agrawal 2007, 50.5 %` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  await expect(page.getByText("Added mkfs options: -i 8192 -O ^metadata_csum")).toBeVisible();
  await expect(page.getByText("Half the bytes per inode")).toBeVisible();
  const run_id = Number(new URL(page.url()).pathname.split("/").at(-1));
  const run = await runWhenEnded(run_id);
  expect(run.state, run.message).toBe("succeeded");
  expect(run.fullness).toBe(0.505);
  expect(run.recipe?.mkfs_command.join(" ")).toContain("-i 8192");
  expect(run.recipe?.mkfs_features).not.toContain("metadata_csum");
  expect(run.recipe?.mount_options).toContain(",nodelalloc");
  const image = await imageOf(run_id);
  expect(image.name).toBe(name);
  await page.goto(`/images/${image.id}`);
  await expect(page.getByText("Added mount options", { exact: true })).toBeVisible();
  await page.goto(`/devices?like=${run_id}`);
  await page.getByRole("button", { name: `Age ${device.path}`, exact: true }).click();
  await expect(page.getByText("Options of mkfs and mount (2 added)")).toBeVisible();
});

test("an option that is not passed is refused with the possible ones, and a wrong character at once", async ({
  page,
}) => {
  const device = await newSandbox();
  const dialog = await openDialog(page, device);
  const start = dialog.getByRole("button", { name: `Age ${device.path} to` });
  await dialog.getByText("Options of mkfs and mount").click();
  const mkfs = dialog.getByRole("textbox", { name: "Added mkfs options" });
  await mkfs.fill("-d /etc");
  await expect(dialog.getByText("Only letters, digits, spaces")).toBeVisible();
  await expect(start).toBeDisabled();
  await expect(dialog.getByRole("status")).toContainText("Correct the options of mkfs and mount");
  await mkfs.fill("-J device=sdb");
  await start.click();
  const refusal = dialog.getByRole("alert");
  await expect(refusal).toContainText("'device=sdb' is no value that Patina passes with -J to mkfs.ext4");
  await expect(refusal).toBeInViewport();
  await mkfs.fill("");
  await dialog.getByRole("combobox", { name: "File system", exact: true }).click();
  await page.getByRole("option", { name: "ext2" }).click();
  await expect(mkfs).toHaveValue("");
});

test("the fullness that is shown is the one that is used; one out of range says so", async ({ page }) => {
  const device = await newSandbox();
  const dialog = await openDialog(page, device);
  const fullness = dialog.getByRole("textbox", { name: "Fullness" });
  const start = dialog.getByRole("button", { name: `Age ${device.path} to` });
  for (const wrong of ["100", "0", ""]) {
    await fullness.fill(wrong);
    await expect(dialog.getByText("Choose a fullness of 1 to 95 %").first()).toBeVisible();
    await expect(start).toBeDisabled();
    await expect(fullness).toHaveValue(wrong === "" ? "" : `${wrong} %`);
  }
  await fullness.fill("70.55");
  await expect(start).toHaveAccessibleName(/70\.55 %$/);
  const asked = page.waitForRequest(
    (request) => request.method() === "POST" && request.url().endsWith("/api/v1/runs"),
  );
  await start.click();
  expect((await asked).postDataJSON()).toMatchObject({ fullness: 0.7055 });
  await expect(page).toHaveURL(/\/runs\/\d+$/);
});

test("a budget is picked on the curve, and gives way to one that is typed", async ({ page }) => {
  const device = await newSandbox();
  const dialog = await openDialog(page, device);
  const curve = dialog.getByRole("slider", { name: "How long to age" });
  await curve.focus();
  await page.keyboard.press("Home");
  await expect(dialog.getByText(/^Stops at an age RMSE of/)).toBeVisible();
  await dialog.getByText("More", { exact: true }).click();
  await dialog.getByRole("textbox", { name: "Stop at overwrites" }).fill("3");
  await expect(dialog.getByText(/^Stops at an age RMSE of/)).toBeHidden();
  await dialog.getByRole("button", { name: `Age ${device.path} to` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  const run = await getRun(Number(new URL(page.url()).pathname.split("/").at(-1)));
  expect([run.max_rmse, run.max_overwrites]).toEqual([null, 3]);
});

test("Escape gives the focus back to the button that opened the dialog", async ({ page }) => {
  const device = await newSandbox();
  const dialog = await openDialog(page, device);
  await expect(dialog.getByRole("region", { name: "Forecast" })).toContainText("computed, not measured");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: `Age ${device.path}`, exact: true })).toBeFocused();
  await page.getByRole("button", { name: `Restore an image to ${device.path}` }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: `Restore an image to ${device.path}` })).toBeFocused();
});

test("a chosen profile is carried to the devices in sight, and can be dropped", async ({ page }) => {
  const device = await newSandbox();
  await page.goto("/profiles/agrawal");
  await page.getByRole("link", { name: "Choose a device to age" }).click();
  const placing = page.getByRole("status").filter({ hasText: "Choose a device to age to" });
  await expect(placing).toContainText("Agrawal 2007");
  await expect(page.getByRole("button", { name: `Age ${device.path}`, exact: true })).toBeVisible();
  await page.getByRole("region", { name: "Choosing a device" }).getByRole("link", { name: "Cancel" }).click();
  await expect(page).toHaveURL(/\/devices$/);
  await expect(placing).toBeHidden();
});

test("the dialog is accessible and fits, and its button stays in view", async ({ page }) => {
  const device = await newSandbox();
  const dialog = await openDialog(page, device);
  await expect(dialog.getByRole("slider", { name: "How long to age" })).toBeVisible();
  await dialog.getByText("Options of mkfs and mount").click();
  await look(page, "age-dialog");
  await page.setViewportSize({ width: 390, height: 800 });
  await expect(dialog.getByRole("button", { name: `Age ${device.path} to` })).toBeInViewport();
});

test("choices of a dialog that was closed return with the next one, without the confirmation", async ({
  page,
}) => {
  const device = await newSandbox();
  const dialog = await openDialog(page, device);
  await dialog.getByRole("textbox", { name: "Fullness" }).fill("41");
  await dialog.getByRole("textbox", { name: "Note" }).fill("kept");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: `Age ${device.path}`, exact: true }).click();
  await expect(dialog.getByRole("textbox", { name: "Fullness" })).toHaveValue("41 %");
  await expect(dialog.getByRole("textbox", { name: "Note" })).toHaveValue("kept");
  await expect(dialog.getByText(`Destroys all data on ${device.path}.`)).toBeVisible();
  await dialog.getByRole("button", { name: "Start over" }).click();
  await expect(dialog.getByRole("textbox", { name: "Fullness" })).toHaveValue("70 %");
  await expect(dialog.getByText("These are your choices from before.")).toBeHidden();
});
