// Devices: aging one, and the refusals.
import { cancelRun, getDevice, removeSandbox, sandboxes } from "../fixtures/api";
import { pausedEndless, runningEndless } from "../fixtures/endless";
import { look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

test("a sandbox device of a chosen size and medium", async ({ page }) => {
  await page.goto("/devices");
  await page.getByRole("button", { name: "Make a sandbox device" }).click();
  const dialog = page.getByRole("dialog", { name: "Make a sandbox device" });
  await dialog.getByRole("textbox", { name: "Size" }).fill("1");
  await dialog.getByText("MiB", { exact: true }).click();
  await expect(dialog.getByText("At least 64 MiB")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Make sandbox device" })).toBeDisabled();
  await dialog.getByRole("textbox", { name: "Size" }).fill("0.5 GiB");
  await expect(dialog.getByRole("radio", { name: "GiB" })).toBeChecked();
  await dialog.getByRole("textbox", { name: "Size" }).press("Tab");
  await dialog.getByRole("textbox", { name: "Size" }).focus(); // selects what is there
  await page.keyboard.type("96 MiB");
  await expect(dialog.getByRole("radio", { name: "MiB" })).toBeChecked();
  await dialog.getByText("In memory").click();
  await dialog.getByRole("button", { name: "Make sandbox device" }).click();
  await expect(dialog).toBeHidden();
  const card = page.getByRole("article").filter({ hasText: "Sandbox in memory, 96 MiB" });
  await expect(card.getByText("available")).toBeVisible();
  const made = (await sandboxes()).find(({ size_bytes }) => size_bytes === 96 * 2 ** 20);
  expect(made).toMatchObject({ medium: "memory" });
  await removeSandbox(made?.id ?? 0);
  await expect(card).toBeHidden();
});

test("a device is named, and its history lists what happened to it", async ({ page, aged, sandbox }) => {
  await page.goto("/devices");
  const path = String(sandbox.path);
  const card = page.getByRole("article", { name: path, exact: true });
  await card.getByRole("button", { name: `Name… ${path}` }).click();
  const naming = page.getByRole("dialog", { name: `Name ${path}` });
  await naming.getByRole("textbox", { name: "Name" }).fill("mail server");
  await page.keyboard.press("Enter");
  const called = page.getByRole("article", { name: "mail server", exact: true });
  await expect(called.getByRole("heading", { name: "mail server" })).toBeVisible();
  await expect(called.getByRole("definition").filter({ hasText: path })).toBeVisible();
  await called.getByRole("button", { name: "History of mail server" }).click();
  const history = page.getByRole("dialog", { name: "History of mail server" });
  await expect(history.getByText("Nothing has happened to mail server yet.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(called.getByRole("button", { name: "History of mail server" })).toBeFocused();
  await called.getByRole("button", { name: "Age mail server" }).click();
  const aging = page.getByRole("dialog", { name: "Age mail server" });
  await expect(aging).toContainText(`All data on mail server (${path}, sandbox in`);
  await expect(aging).toContainText("It is blank.");
  await aging.getByRole("button", { name: "Cancel" }).click();

  const used = String(aged.device.path);
  await page.getByRole("button", { name: `History of ${used}` }).click();
  const jobs = page.getByRole("list", { name: `Jobs on ${used}` }).getByRole("listitem");
  await expect(jobs.filter({ hasText: `Run ${aged.run.id}` })).toContainText("succeeded");
  await look(page, "device-history");
});

test("the system disk is listed as protected, with why, and cannot be aged", async ({ page }) => {
  await page.goto("/devices");
  const attached = page.getByRole("region", { name: "Attached devices" });
  await expect(attached.getByText("protected").first()).toBeVisible();
  await expect(attached.getByText(/mounted at \//).first()).toBeVisible();
  await expect(attached.getByRole("button")).toHaveCount(0);
});

test("the forecast follows the choice and is marked as computed", async ({ page, blank }) => {
  await page.goto("/devices?profile=agrawal"); // not the one that was used last
  await page.getByRole("button", { name: `Age ${blank.path}`, exact: true }).click();
  const forecast = page.getByRole("region", { name: "Forecast" });
  await expect(forecast).toContainText("computed, not measured");
  await expect(forecast.getByText("6.18 k")).toBeVisible();
  await page.getByRole("textbox", { name: "Fullness" }).fill("35");
  await expect(forecast.getByText("3.09 k")).toBeVisible();
  await expect(page.getByRole("button", { name: "Age /dev/" }).last()).toContainText("35 %");
});

test("an image without contents is not offered where it would be unreadable", async ({ page, blank }) => {
  await page.goto("/devices");
  await page.getByRole("button", { name: `Age ${blank.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Age ${blank.path}` });
  await dialog.getByRole("combobox", { name: "The image keeps" }).click();
  await page.getByRole("option", { name: "No contents" }).click();
  await dialog.getByRole("combobox", { name: "File system" }).click();
  await page.getByRole("option", { name: "btrfs" }).click();
  await expect(dialog.getByText(/without its content no file could be read/)).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Age /dev/" })).toBeDisabled();
  await dialog.getByRole("combobox", { name: "The image keeps" }).click();
  await expect(page.getByRole("option", { name: "No contents" })).toHaveAttribute(
    "data-combobox-disabled",
    "true",
  );
  await page.getByRole("option", { name: "Every byte" }).click();
  await expect(dialog.getByRole("button", { name: "Age /dev/" })).toBeEnabled();
});

test("the cards come whole, by one request, so that no button moves under a click", async ({
  page,
  aged,
}) => {
  const asked = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/api\/v1\/(devices|actions)/.test(pathname)) asked.add(pathname);
  });
  await page.goto("/devices");
  const card = page.getByRole("article", { name: aged.device.path ?? "", exact: true });
  await expect(card.getByRole("button", { name: /^(Arm a trace|Roll back)/ })).toBeVisible();
  expect([...asked]).toEqual(["/api/v1/devices"]);
});

test("a device that holds something wants its path typed", async ({ page, aged }) => {
  const { path, holds } = await getDevice(aged.device.id);
  await page.goto("/devices");
  await page.getByRole("button", { name: `Age ${path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Age ${path}` });
  await expect(dialog.getByText(`It holds ${holds}.`)).toBeVisible();
  const confirm = dialog.getByRole("button", { name: `Age ${path}` });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox", { name: `Type ${path} to confirm` }).fill("/dev/another");
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox", { name: `Type ${path} to confirm` }).fill(path ?? "");
  await expect(confirm).toBeEnabled();
});

test("a sandbox device that holds something goes only after asking", async ({ page, sandbox }) => {
  const run = await runningEndless(sandbox);
  await cancelRun(run.id);
  await expect.poll(async () => (await getDevice(sandbox.id)).holds).not.toBeNull();
  await page.goto("/devices");
  const card = page.getByRole("article", { name: sandbox.path ?? "", exact: true });
  const remove = card.getByRole("button", { name: `Remove ${sandbox.path}`, exact: true });
  await remove.click();
  const asked = page.getByRole("dialog", { name: `Remove ${sandbox.path}?` });
  await expect(asked).toContainText("which is deleted permanently");
  await asked.getByRole("button", { name: "Keep it" }).click();
  await expect(asked).toBeHidden();
  await expect(card.getByText("available")).toBeVisible();
  await remove.click();
  await asked.getByRole("button", { name: `Remove ${sandbox.path}` }).click();
  await expect(card).toBeHidden();
});

test("run it again takes the settings, the seed and the profile's version of the run", async ({
  page,
  aged,
}) => {
  await page.goto(`/runs/${aged.run.id}`);
  await page.getByRole("link", { name: "Run it again" }).click();
  await expect(page).toHaveURL(new RegExp(`/devices\\?like=${aged.run.id}$`));
  const placing = page.getByRole("status").filter({ hasText: "Choose a device to age as" });
  await expect(placing).toContainText(`run ${aged.run.id} did: Agrawal 2007`);
  await expect(placing).toContainText(`ext4, mode Faithful, seed ${aged.run.seed}`);
  const card = page.getByRole("article", { name: aged.device.path ?? "", exact: true });
  await card.getByRole("button", { name: /^Age / }).click();
  const dialog = page.getByRole("dialog", { name: `Age ${aged.device.path}` });
  await expect(dialog).toContainText(
    `The settings are those of run ${aged.run.id}, including seed ${aged.run.seed}`,
  );
  await dialog
    .getByRole("textbox", { name: `Type ${aged.device.path} to confirm` })
    .fill(aged.device.path ?? "");
  const asked = page.waitForRequest(
    (request) => request.method() === "POST" && request.url().endsWith("/api/v1/runs"),
  );
  await page.route("**/api/v1/runs", (route) => route.abort(), { times: 1 }); // all tests share the device
  await dialog.getByRole("button", { name: new RegExp(`^Age ${aged.device.path} to`) }).click();
  const { seed, fullness, file_system } = aged.run;
  expect((await asked).postDataJSON()).toMatchObject({
    seed,
    fullness,
    file_system,
    profile_version_number: 1,
  });
  await expect(dialog.getByRole("alert")).toBeVisible();
});

test("a second run on the same device is refused in words, and nothing entered is lost", async ({
  page,
  sandbox,
}) => {
  await page.goto("/devices");
  await page.getByRole("button", { name: `Age ${sandbox.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Age ${sandbox.path}` });
  await dialog.getByRole("textbox", { name: "Fullness" }).fill("42");
  const first = await pausedEndless(sandbox);
  await dialog.getByRole("button", { name: `Age ${sandbox.path}` }).click();
  await expect(dialog.getByRole("alert")).toContainText("This device is in use");
  await expect(dialog.getByRole("alert")).toContainText(`run ${first.id}`);
  await expect(dialog.getByRole("textbox", { name: "Fullness" })).toHaveValue("42 %");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("link", { name: `Run ${first.id}`, exact: true })).toBeVisible();
  expect((await getDevice(sandbox.id)).active_lease?.holder).toBe(`run ${first.id}`);
});
