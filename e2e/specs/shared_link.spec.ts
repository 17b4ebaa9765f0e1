// Links that show one thing without an account: an image, a profile, a run; trial.spec.ts has that of a trial.
import { expect } from "@playwright/test";
import { answered, client, deleteProfiles, makeProfile, PATIENTLY } from "../fixtures/api";
import { look } from "../fixtures/look";
import { newName, openLinkOf, revokeLinks, statusOf } from "../fixtures/people";
import { downloadBy } from "../fixtures/saved";
import { test } from "../fixtures/test";

test("a link shows an image and its downloads, until it is revoked", async ({ page, aged }) => {
  await page.goto(`/images/${aged.image.id}`);
  await openLinkOf(page);
  await expect(page.getByRole("heading", { name: aged.image.name, level: 1 })).toBeVisible();
  await expect(page.getByRole("link", { name: /^Download raw/ }).first()).toBeVisible();
  await look(page, "shared");
  expect(await statusOf(page, `/images/${aged.image.id}/download/raw.zst`)).toBe(200);
  expect(await statusOf(page, "/images")).toBe(401);

  await revokeLinks({ image_id: aged.image.id });
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("Link invalid, used or expired");
});

test("a link shows a run with its curves, and no other run", async ({ page, aged: { run } }) => {
  await page.goto(`/runs/${run.id}`);
  await openLinkOf(page);
  await expect(page.getByRole("heading", { name: `Run ${run.id}`, level: 1 })).toBeVisible();
  await expect(page.getByRole("figure", { name: /size/i }).first()).toBeVisible();
  await expect(page.getByRole("list", { name: "Event log" })).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Seen by" })).toHaveCount(0);
  await look(page, "shared-run");
  expect(await statusOf(page, "/runs")).toBe(401);
  expect(await statusOf(page, `/runs/${run.id + 1}`)).toBe(404);

  await revokeLinks({ job_id: run.id });
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("Link invalid, used or expired");
});

test("a link shows a profile, which its reader downloads", async ({ page }) => {
  const name = newName();
  await makeProfile(name);
  await page.goto(`/profiles/${name}`);
  await openLinkOf(page);
  await expect(page.getByText(`Profile ${name}, version 1`)).toBeVisible();
  await look(page, "shared-profile");
  const saved = await downloadBy(page, () => page.getByRole("link", { name: "CSV" }).click());
  expect(saved.suggestedFilename()).toContain(name);
  expect(await statusOf(page, "/profiles")).toBe(401);
  await deleteProfiles(name);
});

test("a link that has expired shows nothing", async ({ page, aged }) => {
  const body = { image_id: aged.image.id, expires_in_s: 1 };
  const made = answered(await client.POST("/api/v1/shared-links", { body }));
  await page.context().clearCookies();
  await page.goto(made.url);
  const expired = page.getByRole("alert").filter({ hasText: "Link invalid, used or expired" });
  const shown = page.getByRole("heading", { name: aged.image.name, level: 1 });
  await expect(async () => {
    await page.reload();
    await expect(expired.or(shown)).toBeVisible();
    await expect(expired).toBeVisible({ timeout: 100 });
  }).toPass(PATIENTLY);
  const status = await statusOf(page, `/images/${aged.image.id}`);
  expect(status).toBe(401);
});

test("a link that ends while it is opened shows nothing", async ({ page }) => {
  const body = { profile: "agrawal", expires_in_s: 3600 };
  const made = answered(await client.POST("/api/v1/shared-links", { body }));
  await page.context().clearCookies();
  await page.route("**/api/v1/profiles/agrawal", async (route) => {
    await revokeLinks({ profile: "agrawal" });
    await route.continue();
  });
  await page.goto(made.url);
  await expect(page.getByRole("alert")).toContainText("Link invalid, used or expired");
});
