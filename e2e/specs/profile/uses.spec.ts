// Where the versions of a profile were used: runs, images and trials, with links to the newest.
import {
  cancelRun,
  deleteProfiles,
  getProfile,
  imageOf,
  makeProfile,
  runWhenEnded,
  startRun,
  type Run,
} from "../../fixtures/api";
import { look } from "../../fixtures/look";
import { expect, test } from "../../fixtures/test";

/** Saves the histograms of agrawal as a profile that no other test uses. Returns its name. */
async function ownProfile(what: string): Promise<string> {
  const { size, depth, age } = (await getProfile("agrawal")).latest_version;
  return (await makeProfile(`e2e-${Date.now().toString(36)}-${what}`, { size, depth, age })).name;
}

test("a profile lists the runs and images that used each version", async ({ page, sandbox }) => {
  const name = await ownProfile("used");
  const run = await runWhenEnded((await startRun(sandbox, name)).id);
  const image = await imageOf(run.id);
  await page.goto(`/profiles/${name}`);
  const version = page
    .getByRole("region", { name: "Used by" })
    .getByRole("listitem", { name: "Uses of version 1" });
  await expect(version.getByRole("link", { name: `run ${run.id}`, exact: true })).toBeVisible();
  await look(page, "profile-uses");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: /^Delete/ });
  await expect(dialog.getByRole("status")).toContainText("use this profile, so it cannot be deleted");
  await expect(dialog.getByRole("button", { name: `Archive ${name}` })).toBeVisible();
  await expect(dialog.getByRole("button", { name: /^Delete/ })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await version.getByRole("link", { name: image.name, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/images/${image.id}$`));
});

test("a profile with more runs than are listed leads on to all of them", async ({ page, sandbox }) => {
  const name = await ownProfile("often");
  const runs: Run[] = [];
  // The first run holds the device until the others, which wait for it, are canceled.
  for (let step = 0; step < 7; step += 1) runs.push(await startRun(sandbox, name, 0.7, { waits: step > 0 }));
  for (const run of runs.toReversed()) await cancelRun(run.id);
  await page.goto(`/profiles/${name}`);
  await page
    .getByRole("listitem", { name: "Uses of version 1" })
    .getByRole("link", { name: "all runs", exact: true })
    .click();
  await expect(page).toHaveURL(/\/runs\?profile=/);
  await expect(page.getByRole("row").filter({ hasText: `Run ${runs[0]?.id}` })).toBeVisible();
});

test("a profile that nothing uses says so", async ({ page }) => {
  const { name } = await makeProfile(`e2e-${Date.now().toString(36)}-unused`);
  await page.goto(`/profiles/${name}`);
  await expect(page.getByRole("region", { name: "Used by" })).toContainText(
    "No run, image or trial uses this profile yet.",
  );
  await deleteProfiles(name);
});
