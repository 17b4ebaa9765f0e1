// Runs of a workload in place of a profile, and their twins.
import type { Page } from "@playwright/test";
import { getRun, imageOf, makeSandbox, MIB, removeSandbox, runWhenEnded, type Run } from "../fixtures/api";
import { expect, SANDBOX_BYTES, test } from "../fixtures/test";

const made: number[] = [];

test.afterEach(async () => {
  for (const device_id of made.splice(0)) await removeSandbox(device_id);
});

async function sandboxOf(size_bytes: number) {
  const sandbox = await makeSandbox(size_bytes);
  made.push(sandbox.id);
  return sandbox;
}

async function dialogOf(page: Page, path: string | null) {
  const card = page.getByRole("article", { name: path ?? "", exact: true });
  await card.getByRole("button", { name: `Age ${path}`, exact: true }).click();
  return page.getByRole("dialog", { name: `Age ${path}` });
}

async function ended(page: Page): Promise<Run> {
  await expect(page).toHaveURL(/\/runs\/\d+$/);
  const run = await getRun(Number(new URL(page.url()).pathname.split("/").at(-1)));
  const whole = await runWhenEnded(run.id);
  expect(whole.state, whole.message).toBe("succeeded");
  return whole;
}

test("an fsfb run shows its free space over rounds, and its twins hold the same files on two devices", async ({
  page,
}) => {
  const aged = await sandboxOf(SANDBOX_BYTES);
  await page.goto("/devices");
  const dialog = await dialogOf(page, aged.path);
  await dialog.getByRole("combobox", { name: "Profile or workload" }).click();
  await page.getByRole("option", { name: "fsfb" }).click();
  await dialog.getByRole("textbox", { name: "Rounds" }).fill("6");
  await expect(dialog.getByRole("combobox", { name: "Fullness of" })).toBeHidden();
  await expect(dialog.getByRole("heading", { name: "No forecast" })).toBeVisible();
  await dialog.getByText("More", { exact: true }).click();
  await expect(dialog.getByRole("textbox", { name: "Appends" })).toBeHidden();
  await dialog.getByRole("checkbox", { name: "Keep the operation log" }).check();
  await dialog.getByRole("button", { name: `Age ${aged.path} by fsfb, 70 %` }).click();
  const fsfb = await ended(page);
  expect(fsfb).toMatchObject({ workload: "fsfb", rounds_count: 6, keeps_log: true, profile: null });
  await expect(page.getByText("fsfb, 6 rounds, at 70 %")).toBeVisible();
  const rounds = page.getByRole("region", { name: "Over rounds" });
  await expect(rounds.getByText("Free space by extent size")).toBeVisible();
  await expect(
    rounds.getByRole("img", { name: "Free space by extent size, from 0 to 6 rounds" }),
  ).toBeVisible();
  await expect(page.getByRole("region", { name: "Target and observed" })).toBeHidden();

  const larger = await sandboxOf(256 * MIB);
  await page.getByRole("link", { name: "Replay on another device…" }).click();
  await expect(page.getByText(`replay run ${fsfb.id} on`)).toBeVisible();
  const ofEmpty = await dialogOf(page, larger.path);
  await expect(ofEmpty.getByRole("combobox", { name: "Run to replay" })).toHaveValue(
    new RegExp(`^Run ${fsfb.id}: fsfb, 6 rounds, at 70 %`),
  );
  await ofEmpty.getByRole("button", { name: `Age ${larger.path} as run ${fsfb.id} did` }).click();
  const empty = await ended(page);
  expect(empty.summary?.plan_digest).toBe(fsfb.summary?.plan_digest);
  await expect(page.getByRole("link", { name: `run ${fsfb.id}`, exact: true })).toBeVisible();

  await page.goto(`/runs/${fsfb.id}`);
  await page.getByRole("link", { name: "Make the unaged twin…" }).click();
  const other = await sandboxOf(SANDBOX_BYTES);
  const ofUnaged = await dialogOf(page, other.path);
  await expect(ofUnaged.getByRole("switch", { name: "Only the files that are left" })).toBeChecked();
  await ofUnaged
    .getByRole("button", { name: `Age ${other.path} to the survivors of run ${fsfb.id}` })
    .click();
  const unaged = await ended(page);
  expect(unaged.summary?.live_bytes).toBe(fsfb.summary?.live_bytes);
  expect(unaged.summary?.delete_ops_count).toBe(0);

  const image = await imageOf(unaged.id);
  await page.goto("/images");
  await expect(
    page.getByText(`replay, ${image.file_system}`).or(page.getByText("Replay of a run, ext4")).first(),
  ).toBeVisible();
  await page.goto(`/images/${image.id}`);
  await expect(page.getByRole("heading", { name: "Recipe" })).toBeVisible();
  await expect(page.getByText(`survivors of run ${fsfb.id}`).first()).toBeVisible();
});

test("a device whose host has no operation log says how to keep one", async ({ page }) => {
  const sandbox = await sandboxOf(SANDBOX_BYTES);
  await page.route("**/api/v1/runs?log_of_host_id=*", (route) =>
    route.fulfill({ json: { items: [], next_cursor: null } }),
  );
  await page.goto("/devices");
  const dialog = await dialogOf(page, sandbox.path);
  await dialog.getByRole("combobox", { name: "Profile or workload" }).click();
  await page.getByRole("option", { name: "Replay of a run" }).click();
  await expect(dialog.getByText("has kept its operation log. Age a device with")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "by the log of another run" })).toBeDisabled();
});
