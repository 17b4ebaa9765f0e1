// The journey of an emulated disk: aged to Agrawal 70 % with real writes, checked, and its image restored to another.
//
// PATINA_EMULATED_DISK makes it with another size, file system or options, which takes as much longer:
// {"size": "1 TiB", "file_system": "xfs", "limit": "2 GiB", "mkfs": "", "mount": ""}, with PATINA_PATIENCE_MS=7200000.
import { imageOf, layoutOf, MIB, runWhenEnded, type Device } from "../fixtures/api";
import { checkFileSystem, layoutDigestOf, type Checked } from "../fixtures/core";
import { cardOf, choose, emulatedOf, madeBy, openForm, removeMade } from "../fixtures/emulated";
import { expect, test } from "../fixtures/test";

const usual = { size: "16 GiB", file_system: "ext4" as Checked, limit: "2 GiB", mkfs: "", mount: "" };
const disk = {
  ...usual,
  ...(JSON.parse(process.env["PATINA_EMULATED_DISK"] ?? "{}") as Partial<typeof usual>),
};
/** The planned content of 70 % is written once, and a part of it anew. */
const OVERWRITES = "0.75";
const MOST_MEMORY_BYTES = 512 * MIB;

test.afterEach(removeMade);

test(`an emulated disk of ${disk.size} is aged with real writes, checked, captured, and restored to another`, async ({
  page,
}, info) => {
  const make = async (): Promise<Device> => {
    const form = await openForm(page);
    await form.getByRole("textbox", { name: "Size" }).fill(disk.size);
    await form.getByRole("textbox", { name: "Storage limit on the host" }).fill(disk.limit);
    return madeBy(() => form.getByRole("button", { name: "Make emulated disk" }).click());
  };
  const device = await make();
  await cardOf(page, device)
    .getByRole("button", { name: `Age ${device.path}`, exact: true })
    .click();
  const aging = page.getByRole("dialog", { name: `Age ${device.path}` });
  await choose(page, aging, "Profile", "Agrawal 2007");
  await aging.getByRole("textbox", { name: "Fullness" }).fill("70");
  await choose(page, aging, "File system", disk.file_system);
  await choose(page, aging, "Mode", /^Fast/);
  await choose(page, aging, "Data", "Write everything");
  await aging.getByText("Options of mkfs and mount").click();
  await aging.getByRole("textbox", { name: "Added mkfs options" }).fill(disk.mkfs);
  await aging.getByRole("textbox", { name: "Added mount options" }).fill(disk.mount);
  await aging.getByText("More", { exact: true }).click();
  await aging.getByRole("textbox", { name: "Stop at overwrites" }).fill(OVERWRITES);
  await aging.getByRole("button", { name: `Age ${device.path} to` }).click();
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  const run = await runWhenEnded(Number(new URL(page.url()).pathname.split("/").at(-1)));
  expect(run.state, run.message).toBe("succeeded");
  expect(run.summary?.fullness).toBeCloseTo(0.7, 2);

  const aged = await emulatedOf(device);
  const squashed = aged.saved_bytes / (aged.saved_bytes + aged.stored_bytes);
  info.annotations.push({
    type: "aged",
    description: JSON.stringify({ ...aged, squashed, summary: run.summary }),
  });
  expect(squashed).toBeGreaterThan(0.97);
  expect(aged.memory_bytes).toBeLessThan(MOST_MEMORY_BYTES);
  await checkFileSystem(device, disk.file_system);

  const image = await imageOf(run.id);
  expect(image.recipe.capture_mode).toBe("metadata");
  const { layout_digest } = await layoutOf(image.id);
  const other = await make();
  const card = cardOf(page, other);
  await card.getByRole("button", { name: `Restore an image to ${other.path}`, exact: true }).click();
  const restoring = page.getByRole("dialog", { name: `Restore an image to ${other.path}` });
  await restoring.getByRole("combobox", { name: "Image" }).fill(image.name);
  await page.getByRole("option", { name: new RegExp(`^${image.name},`) }).click();
  await restoring.getByRole("button", { name: `Restore to ${other.path}` }).click();
  await expect(card.getByText(`image ${image.name}, verified`)).toBeVisible();
  const restored = await emulatedOf(other);
  info.annotations.push({ type: "restored", description: JSON.stringify({ ...restored, layout_digest }) });
  expect(restored.memory_bytes).toBeLessThan(MOST_MEMORY_BYTES);
  expect(await layoutDigestOf(other)).toBe(layout_digest);
  await checkFileSystem(other, disk.file_system);
});
