// An emulated disk: made on the page, aged, failed on command, and removed.
import { getDevice, MIB, runWhenEnded } from "../fixtures/api";
import { cardOf, choose, emulatedOf, madeBy, openForm, removeMade } from "../fixtures/emulated";
import { look } from "../fixtures/look";
import { join } from "../fixtures/people";
import { expect, test } from "../fixtures/test";

test.afterEach(removeMade);

test("a disk of 16 GiB is made, aged with what is dropped and predicted on its card, failed and removed", async ({
  page,
}) => {
  const form = await openForm(page);
  await form.getByRole("button", { name: "16 GiB", exact: true }).click();
  await expect(form.getByRole("textbox", { name: "Size" })).toHaveValue("16 GiB");
  await choose(page, form, "Disk model", "Hitachi 80 GB, 7200 rpm");
  await expect(form.getByText(/^A virtual clock/)).toBeVisible();
  await form.getByText("Several disks, longer seeks").click();
  await choose(page, form, "Disks", "RAID-5");
  await expect(form.getByRole("button", { name: "As modelled, 223.5 GiB" })).toBeVisible();
  await form.getByRole("textbox", { name: "Number of disks" }).fill("2");
  await expect(form.getByText("From 3 to 64 disks")).toBeVisible();
  await expect(form.getByRole("button", { name: "Make emulated disk" })).toBeDisabled();
  await form.getByRole("textbox", { name: "Number of disks" }).fill("4");
  await form.getByRole("checkbox", { name: "Stretch over the whole modelled disk" }).check();
  await expect(form.getByText("Several disks, longer seeks (2 changed)")).toBeVisible();
  await expect(form.getByRole("textbox", { name: "Pieces" })).toHaveValue("8");
  await form.getByRole("textbox", { name: "Storage limit on the host" }).fill("1 GiB");
  await look(page, "emulated-form");
  await page.setViewportSize({ width: 1440, height: 900 });
  const device = await madeBy(() => form.getByRole("button", { name: "Make emulated disk" }).click());
  await expect(form).toBeHidden();
  expect(device).toMatchObject({ size_bytes: 16 * 1024 * MIB, medium: "file" });
  expect(device.emulation).toMatchObject({
    model: "hitachi-80gb",
    raid: { level: 5, disks_count: 4 },
    stretch_pieces_count: 8,
    data: "random",
    time: "fast",
    available_bytes: 1024 * MIB,
  });

  const card = cardOf(page, device);
  const emulated = card.getByRole("region", { name: "Emulated disk" });
  const modelled = "4 × Hitachi 80 GB, 7200 rpm, RAID-5, stretched in 8 pieces";
  await expect(emulated).toContainText(`Emulated ${modelled}, fast time`);
  await expect(emulated).toContainText(/Target\s*16 GiB/);
  await expect(emulated).toContainText("of at most 1 GiB");

  await card.getByRole("button", { name: `Age ${device.path}`, exact: true }).click();
  const aging = page.getByRole("dialog", { name: `Age ${device.path}` });
  await expect(aging.getByRole("combobox", { name: "The image keeps" })).toHaveValue("No contents");
  await choose(page, aging, "Data", "Write everything");
  await aging.getByRole("textbox", { name: "Fullness" }).fill("5");
  await aging.getByText("More", { exact: true }).click();
  await aging.getByRole("textbox", { name: "Stop at overwrites" }).fill("0.2");
  await aging.getByRole("button", { name: `Age ${device.path} to` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  const run = await runWhenEnded(Number(new URL(page.url()).pathname.split("/").at(-1)));
  expect(run.state).toBe("succeeded");
  expect(run.capture_mode).toBe("metadata");
  await expect(page.getByText(/Aging took .+ here; predicted .+ on 4 × Hitachi 80 GB/).first()).toBeVisible();

  await page.goto("/devices");
  // The end of the run has renewed the figures.
  expect((await emulatedOf(device)).saved_bytes).toBeGreaterThan(300 * MIB);
  await expect(emulated).toContainText(/Used\s*[\d.]+ [MG]iB by its file system/);
  await expect(emulated).toContainText(
    /Saved\s*[\d.]+ [MG]iB 9\d(\.\d+)? % of what a plain disk would store/,
  );
  await expect(emulated).toContainText(/Predicted\s*.+ for .+ requests on the modelled disk/);
  await expect(emulated).not.toContainText("Every piece of the disk is kept");
  await look(page, "emulated-card");
  await page.setViewportSize({ width: 1440, height: 900 });

  await emulated.getByRole("button", { name: `Make a fault… on ${device.path}` }).click();
  const fault = page.getByRole("dialog", { name: `Make a fault on ${device.path}` });
  await choose(page, fault, "Fault", "Read-only");
  await expect(fault.getByText("Every write fails, as on a worn flash disk.")).toBeVisible();
  await fault.getByRole("button", { name: "Make the fault" }).click();
  await expect(fault).toBeHidden();
  await expect(emulated.getByText("Read-only: writes fail")).toBeVisible();
  expect((await getDevice(device.id)).fault).toMatchObject({ fault: { kind: "read_only" }, error: null });
  await look(page, "emulated-fault");
  await page.setViewportSize({ width: 1440, height: 900 });
  await emulated.getByRole("button", { name: `End all faults of ${device.path}` }).click();
  await expect(emulated.getByText("Read-only: writes fail")).toBeHidden();

  await card.getByRole("button", { name: `Remove ${device.path}`, exact: true }).click();
  await page
    .getByRole("button", { name: `Remove ${device.path}`, exact: true })
    .last()
    .click();
  await expect(card).toBeHidden();
});

test("what is wrong is said at its field, a refusal of the server too, and choices are kept", async ({
  page,
}) => {
  const form = await openForm(page);
  const size = form.getByRole("textbox", { name: "Size" });
  const limit = form.getByRole("textbox", { name: "Storage limit on the host" });
  const make = form.getByRole("button", { name: "Make emulated disk" });
  await expect(size).toBeFocused();
  await size.fill("2 PiB");
  await expect(form.getByText("At most 1 PiB")).toBeVisible();
  await expect(make).toBeDisabled();
  await size.fill("1 PiB");
  await choose(page, form, "Disk model", "Hitachi 80 GB");
  await expect(form.getByText("The modelled disk has 74.5 GiB")).toBeVisible();
  await form.getByRole("button", { name: "As modelled, 74.5 GiB" }).click();
  await limit.fill("900 TiB");
  await make.click();
  await expect(form.getByText(/would exceed its quota/)).toBeVisible();
  await expect(limit).toBeFocused();
  await expect(limit).toHaveAttribute("aria-invalid", "true");
  await look(page, "emulated-refused");
  await page.keyboard.press("Escape");
  await expect(form).toBeHidden();
  await expect(page.getByRole("button", { name: "Make an emulated disk" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(form.getByText("These are your choices from before.")).toBeVisible();
  await expect(limit).toHaveValue("900 TiB");
  await form.getByRole("button", { name: "Start over" }).click();
  await expect(size).toHaveValue("1 TiB");
});

test("a power cut wants a confirmation, and every field of a fault its range", async ({ page }) => {
  await page.goto("/devices?emulated=true");
  const form = page.getByRole("dialog", { name: "Make an emulated disk" });
  await form.getByRole("textbox", { name: "Size" }).fill("1 GiB");
  await form.getByText("In memory").click();
  await form.getByRole("textbox", { name: "Name" }).fill("to fail");
  const device = await madeBy(() => page.keyboard.press("Enter"));
  await expect(page).toHaveURL(/\/devices$/);
  const card = page.getByRole("article", { name: "to fail" });
  await expect(card).toContainText("No disk model");
  await expect(card).not.toContainText("Predicted");
  const open = card.getByRole("button", { name: "Make a fault… on to fail" });
  await open.click();
  const fault = page.getByRole("dialog", { name: "Make a fault on to fail" });
  const make = fault.getByRole("button", { name: "Make the fault" });
  await expect(make).toBeDisabled();
  await fault.getByRole("checkbox", { name: "Power cut on to fail" }).check();
  await expect(make).toBeEnabled();
  await choose(page, fault, "Fault", "Disappears");
  await expect(make).toBeDisabled();
  await choose(page, fault, "Fault", "Write error");
  await fault.getByRole("textbox", { name: "From" }).fill("2 GiB");
  await expect(fault.getByText("Inside the disk, which has 1 GiB")).toBeVisible();
  await expect(make).toBeDisabled();
  await look(page, "emulated-fault-form");
  await page.setViewportSize({ width: 1440, height: 900 });
  await fault.getByRole("textbox", { name: "From" }).fill("512 MiB");
  await fault.getByRole("textbox", { name: "Length" }).fill("4 KiB");
  await page.keyboard.press("Enter");
  await expect(fault).toBeHidden();
  await expect(open).toBeFocused();
  await expect(card.getByText("Writes of 4 KiB from 512 MiB on fail")).toBeVisible();
  expect((await getDevice(device.id)).emulated?.faults).toHaveLength(1);

  await open.click();
  await fault.getByRole("checkbox", { name: "Power cut on to fail" }).check();
  await make.click();
  await expect(fault).toBeHidden();
  const asked = async () => (await getDevice(device.id)).fault;
  await expect.poll(asked).toMatchObject({ fault: { kind: "power_cut", lost: "all" }, error: null });
  await expect.poll(async () => (await asked())?.done_at).not.toBeNull();
  // Nothing holds the disk: it returns, without faults.
  await expect.poll(async () => (await getDevice(device.id)).emulated?.faults).toEqual([]);
  await expect(card.getByText("on fail")).toBeHidden();
  await expect(card.getByText("available")).toBeVisible();
});

test("who may not change anything sees an emulated disk without its actions", async ({ page }) => {
  const form = await openForm(page);
  await form.getByRole("textbox", { name: "Size" }).fill("1 GiB");
  await form.getByText("In memory").click();
  const device = await madeBy(() => form.getByRole("button", { name: "Make emulated disk" }).click());
  await join(page, "viewer");
  await expect(cardOf(page, device)).toContainText("Emulated No disk model");
  await expect(page.getByRole("button", { name: /^Make a fault/ })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Make an emulated disk" })).toHaveCount(0);
});

test("a disk keeps chosen paths as written, and each request takes the time of its model", async ({
  page,
}) => {
  const form = await openForm(page);
  const make = form.getByRole("button", { name: "Make emulated disk" });
  await form.getByRole("textbox", { name: "Size" }).fill("1 GiB");
  await form.getByText("In memory").click();
  await choose(page, form, "Disk model", "Flash disk 512 GB, SATA");
  await choose(page, form, "Time", "Accurate");
  await form.getByText("More", { exact: true }).click();
  const paths = form.getByRole("textbox", { name: "Paths kept as written" });
  await paths.fill("/database");
  await expect(form.getByText(/^From the root of the file system, .* not \/database$/)).toBeVisible();
  await expect(make).toBeDisabled();
  await paths.fill("**");
  await form.getByRole("textbox", { name: "Storage limit on the host" }).fill("512 MiB");
  const device = await madeBy(() => make.click());
  expect(device.emulation).toMatchObject({ kept_paths: ["**"], time: "accurate" });

  const card = cardOf(page, device);
  await card.getByRole("button", { name: `Age ${device.path}`, exact: true }).click();
  const aging = page.getByRole("dialog", { name: `Age ${device.path}` });
  await choose(page, aging, "Mode", /^Fast/);
  await choose(page, aging, "Data", "Write everything");
  await aging.getByRole("textbox", { name: "Fullness" }).fill("5");
  await aging.getByRole("button", { name: `Age ${device.path} to` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  const run = await runWhenEnded(Number(new URL(page.url()).pathname.split("/").at(-1)));
  expect(run.state, run.message).toBe("succeeded");
  expect(run.prediction?.time).toBe("accurate");

  await page.goto("/devices");
  const emulated = card.getByRole("region", { name: "Emulated disk" });
  await expect(emulated).toContainText(/Kept as written\s*[\d.]+ MiB of \*\*/);
  await expect(emulated).not.toContainText("Dropped too early");
  await expect(emulated).toContainText(/on the modelled disk; each measured within [\d.]+ % of it/);
  // All files are kept: what the disk stores is at least their data.
  expect((await emulatedOf(device)).chosen_bytes).toBeGreaterThan(0.04 * device.size_bytes);
  await look(page, "emulated-paths");
});
