// The labels of the axes: none lies on another, however close the bins are and however narrow the page is.
import { deleteProfiles, makeHistograms, makeProfile } from "../../fixtures/api";
import { expect, test } from "../../fixtures/test";

for (const width of [1440, 390]) {
  test(`labels of an axis do not collide, ${width} pixels wide`, async ({ page }) => {
    const sizes = [0, 4096, 4097, 4098, 4099, 2 ** 40].map((bytes) => ({ bytes, weight: 1 }));
    const name = `e2e-${Date.now().toString(36)}-axis`;
    await makeProfile(name, { ...makeHistograms(60), size: sizes });
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/profiles/${name}/edit`);
    await expect(page.getByRole("slider", { name: "Size 1 TiB" })).toBeVisible();
    const overlaps = async () =>
      page.getByRole("region", { name: "Histograms" }).evaluate((section) =>
        [...section.querySelectorAll("figure")].flatMap((figure) => {
          const labels = [...figure.querySelectorAll("[data-axis] > span")];
          const boxes = labels.map((label) => label.getBoundingClientRect());
          return boxes.slice(1).flatMap((box, index) => {
            const before = boxes[index];
            return before !== undefined && before.right > box.left
              ? [`${labels[index]?.textContent} on ${labels[index + 1]?.textContent}`]
              : [];
          });
        }),
      );
    await expect.poll(overlaps).toEqual([]);
    await expect(page.locator("figure [data-axis] > span").last()).toBeVisible();
    await deleteProfiles(name);
  });
}
