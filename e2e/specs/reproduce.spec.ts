// The recipe of an image, run again: on a device of the same size, from its page to the comparison.
import { answered, client, imageOf, makeSandbox, MIB, removeSandbox, runWhenEnded } from "../fixtures/api";
import { look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

test("a recipe is run again, and the new image is compared with the first", async ({ page, aged }) => {
  const device = await makeSandbox(128 * MIB);
  try {
    await page.goto(`/images/${aged.image.id}`);
    await page.getByRole("button", { name: "Run this recipe again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Device" }).click();
    await page.getByRole("option", { name: device.path ?? "" }).click();
    await expect(dialog.getByText("so the plan is the same")).toBeVisible();
    await dialog.getByRole("button", { name: "Age" }).click();
    await expect(page).toHaveURL(/\/runs\/\d+$/);
    await expect(page.getByRole("link", { name: `image ${aged.image.id}`, exact: true })).toBeVisible();
    const run = await runWhenEnded(Number(page.url().split("/").pop()));
    expect([run.state, run.seed, run.reproduces_id]).toEqual(["succeeded", aged.run.seed, aged.image.id]);

    const image = await imageOf(run.id);
    await page.goto(`/images/${image.id}`);
    const section = page.getByRole("region", { name: "The recipe, run again" });
    await expect(section.getByRole("link", { name: aged.image.name })).toBeVisible();
    const found = answered(
      await client.GET("/api/v1/images/{image_id}/reproduction", {
        params: { path: { image_id: image.id } },
      }),
    );
    expect(found.has_same_plan).toBe(true);
    const words = found.has_same_layout === true ? "the same" : "differs";
    await expect(section.getByLabel("Compared").locator("div").nth(1)).toContainText(words);
    await expect(section.getByText(found.layout_digest ?? "")).toBeVisible();
    await section.scrollIntoViewIfNeeded();
    await look(page, "image-reproduced");
    await client.DELETE("/api/v1/images/{image_id}", { params: { path: { image_id: image.id } } });
  } finally {
    await removeSandbox(device.id);
  }
});
