// The holding of a device and its actions: restore, trace a benchmark, roll it back.
import { open } from "node:fs/promises";
import type { Locator } from "@playwright/test";
import { imageOf, makeSandbox, MIB, removeSandbox, runWhenEnded, startRun } from "../fixtures/api";
import { look } from "../fixtures/look";
import { expect, SANDBOX_BYTES, test } from "../fixtures/test";

const made: number[] = [];

test.afterEach(async () => {
  for (const device_id of made.splice(0)) await removeSandbox(device_id);
});

/** Writes a few blocks in the middle, as a benchmark on the raw device does. */
async function writeTo(path: string): Promise<void> {
  const device = await open(path, "r+");
  await device.write(Buffer.alloc(MIB, "trial"), 0, MIB, 40 * MIB);
  await device.sync();
  await device.close();
}

/** Writes to a traced device. The button that stops the trace keeps its place: a click on one that moves is lost. */
async function writeTraced(card: Locator, path: string): Promise<void> {
  const stop = card.getByRole("button", { name: "Stop the trace" });
  const top = () =>
    stop.evaluate((button) => {
      const work = button.closest("[role=status]");
      return button.getBoundingClientRect().top - (work?.getBoundingClientRect().top ?? 0);
    });
  const before = await top();
  await writeTo(path);
  await expect(card.getByText("Touched so far: 1 MiB.")).toBeVisible();
  await expect(card.getByText(/^Reads .* of the time/)).toBeVisible();
  expect(await top()).toBe(before);
}

test("an image is restored, a benchmark is traced and rolled back, and the card says what the device holds", async ({
  page,
}) => {
  const aged = await makeSandbox(SANDBOX_BYTES);
  const other = await makeSandbox(SANDBOX_BYTES);
  made.push(aged.id, other.id);
  const run = await runWhenEnded((await startRun(aged, "agrawal", 0.3)).id);
  expect(run.state).toBe("succeeded");
  const image = await imageOf(run.id);

  await page.goto("/devices");
  const card = page.getByRole("article", { name: other.path ?? "", exact: true });
  await expect(card.getByText("nothing")).toBeVisible();
  await card.getByRole("button", { name: `Restore an image to ${other.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Restore an image to ${other.path}` });
  const facts = dialog.getByRole("definition");
  await expect(facts).toHaveCount(0); // nothing is chosen yet, and the device holds nothing
  await dialog.getByRole("combobox", { name: "Image" }).fill(image.name);
  await page.getByRole("option", { name: new RegExp(`^${image.name},`) }).click();
  await expect(facts.nth(0)).toContainText("64 MiB, stored as");
  // Other tests may have restored on this host: then that is the measure, and never a guess.
  await expect(facts.nth(1)).toHaveText(
    /^(Unknown: no restore was measured here yet|About .*, by \d+ restores? of)/,
  );
  await expect(facts).toHaveCount(2);
  await expect(dialog).toContainText("It is blank.");
  await dialog.getByRole("button", { name: `Restore to ${other.path}` }).click();
  await expect(card.getByText(`image ${image.name}, verified`)).toBeVisible();
  await page.goto(`/devices?restore=${image.id}`);
  const placing = page.getByRole("status").filter({ hasText: `Choose a device to restore ${image.name}` });
  await expect(placing).toContainText("it needs 64 MiB");
  await card.getByRole("button", { name: `Restore an image to ${other.path}`, exact: true }).click();
  await expect(dialog.getByRole("definition").nth(1)).toContainText(
    "by 1 restore of this image on this device",
  );
  await page.keyboard.press("Escape");
  await page.goto("/devices");

  await card.getByRole("button", { name: `Arm a trace: ${other.path}`, exact: true }).click();
  await expect(card.getByText(/Every write is recorded/)).toBeVisible();
  await expect(card.getByText(`image ${image.name}, being traced`)).toBeVisible();
  await expect(card.getByText(`sudo mount ${other.path} /mnt`)).toBeVisible();
  await look(page, "device-traced");
  await page.reload();
  await expect(card.getByText(/Every write is recorded/)).toBeVisible();
  await writeTraced(card, other.path ?? "");
  await card.getByRole("button", { name: "Stop the trace" }).click();
  await expect(card.getByText(`image ${image.name}, changed since: 1 MiB`)).toBeVisible();

  await card.getByRole("button", { name: `Roll back: ${other.path}`, exact: true }).click();
  const asked = page.getByRole("dialog", { name: `Roll ${other.path} back?` });
  await expect(asked).toContainText(
    `since it held image ${image.name} is destroyed. The trace recorded 1 MiB`,
  );
  await expect(asked.getByRole("button", { name: "Cancel" })).toBeFocused();
  await look(page, "device-roll-back");
  await asked.getByRole("button", { name: "Cancel" }).click();
  await expect(card.getByText(`image ${image.name}, changed since: 1 MiB`)).toBeVisible();
  await card.getByRole("button", { name: `Roll back: ${other.path}`, exact: true }).click();
  await asked.getByRole("button", { name: `Roll ${other.path} back` }).click();
  await expect(card.getByText(`image ${image.name}, verified`)).toBeVisible();
  await expect(card.getByText(/1.00 MiB rewritten, the traced blocks/)).toBeVisible();

  await card.getByRole("button", { name: `Verify: ${other.path}`, exact: true }).click();
  await expect(card.getByText(/every byte compared/)).toBeVisible();

  await card.getByRole("button", { name: `Arm a trace: ${other.path}`, exact: true }).click();
  await expect(card.getByText(/Every write is recorded/)).toBeVisible();
  await writeTraced(card, other.path ?? "");
  await card.getByRole("button", { name: "Stop the trace" }).click();
  await expect(card.getByText(`image ${image.name}, changed since: 1 MiB`)).toBeVisible();
  await expect(card.getByRole("button", { name: "Stop the trace" })).toBeHidden();
  await card.getByRole("button", { name: `Keep as an image: ${other.path}`, exact: true }).click();
  const keeping = page.getByRole("dialog", { name: `Keep the content of ${other.path} as an image` });
  await expect(keeping).toContainText(`To return to ${image.name}, restore it.`);
  const named = keeping.getByRole("textbox", { name: "Name of the image" });
  await named.fill("no name");
  await expect(keeping.getByRole("button", { name: "Keep the image" })).toBeDisabled();
  const kept = `${image.name}-kept`;
  await named.fill(kept);
  await look(page, "device-keep");
  await page.keyboard.press("Enter");
  await card.getByRole("link", { name: kept }).click();
  const provenance = page.getByRole("region", { name: "Provenance" });
  await expect(provenance.getByRole("link", { name: image.name, exact: true })).toBeVisible();
  await expect(page.getByLabel("Summary")).toContainText("by its free extents");
  const ofParent = page.getByRole("region", { name: "Aging of its parent" });
  await expect(ofParent.getByText("Age RMSE")).toBeVisible();
  await expect(page.getByText("Age RMSE")).toHaveCount(1);

  const usedBy = page.getByRole("region", { name: "Used by" });
  await expect(usedBy.getByRole("list", { name: "Lineage" }).getByRole("listitem")).toHaveText([
    new RegExp(`^${image.name}`),
    new RegExp(`^Generation 1: ${kept}`),
  ]);
  await expect(usedBy.getByRole("link", { name: String(other.path) })).toBeVisible();
  await look(page, "image-of-trial");
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await expect(page.getByText("Choose two images")).toBeVisible();
  const second = page.getByRole("combobox", { name: "Second image" });
  await second.fill(image.name);
  await page.getByRole("option", { name: new RegExp(`^${image.name}, `) }).click();
  const bytes = page.getByRole("region", { name: "Bytes" });
  await expect(bytes.getByText(`Only in ${kept}`)).toBeVisible();
  await expect(bytes.getByRole("img", { name: /^Blocks: .* differs, .* equal$/ })).toBeVisible();
  await expect(page.getByRole("region", { name: "Recipes" })).toContainText("The recipes are equal.");
  await look(page, "image-compare");
  await page.getByRole("button", { name: "Swap" }).click();
  await expect(page.getByRole("combobox", { name: "First image" })).toHaveValue(
    new RegExp(`^${image.name}, `),
  );
  await page.reload();
  await expect(bytes.getByText(`Only in ${kept}`)).toBeVisible();
});

test("a device that was written to where no trace saw it says so, and is rolled back all the same", async ({
  page,
}) => {
  const sandbox = await makeSandbox(SANDBOX_BYTES);
  made.push(sandbox.id);
  const image = await imageOf((await runWhenEnded((await startRun(sandbox, "agrawal", 0.3)).id)).id);
  await page.goto("/devices");
  const card = page.getByRole("article", { name: sandbox.path ?? "", exact: true });
  await expect(card.getByText(`image ${image.name}, verified`)).toBeVisible();
  await writeTo(sandbox.path ?? "");
  await expect(card).toContainText("may have been written to since, without a trace");
  await look(page, "device-written-to");
  await card.getByRole("button", { name: `Roll back: ${sandbox.path}`, exact: true }).click();
  const asked = page.getByRole("dialog", { name: `Roll ${sandbox.path} back?` });
  await expect(asked).toContainText("No complete trace exists, so every byte is compared");
  const rollBack = asked.getByRole("button", { name: `Roll ${sandbox.path} back` });
  await expect(rollBack).toBeDisabled();
  await asked.getByLabel(`Type ${sandbox.path} to confirm`).fill(sandbox.path ?? "");
  await rollBack.click();
  await expect(card.getByText(/1.00 MiB rewritten, everything was compared/)).toBeVisible();
  await expect(card).not.toContainText("it may have been written to since");
});
