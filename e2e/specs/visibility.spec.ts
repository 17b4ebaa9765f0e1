// Who sees runs and profiles: their account, their team, everyone.
import { expect, type Page } from "@playwright/test";
import { deleteProfiles, makeProfile } from "../fixtures/api";
import { endlessProfile } from "../fixtures/endless";
import { look } from "../fixtures/look";
import { enterAs, join, makeTeam, newName } from "../fixtures/people";
import { ownSession, test } from "../fixtures/test";

/** Sends a request as the account of the page. */
async function send(page: Page, method: string, path: string, body: unknown): Promise<{ id: number }> {
  const answer = await page.evaluate(
    async ([asked, place, text]) => {
      const headers = { "Content-Type": "application/json" };
      const got = await fetch(`/api/v1${place}`, { method: asked ?? "", headers, body: text ?? "" });
      return { isDone: got.ok, text: await got.text() };
    },
    [method, path, JSON.stringify(body)],
  );
  expect(answer.isDone, answer.text).toBe(true);
  return JSON.parse(answer.text) as { id: number };
}

async function seenBy(page: Page, choice: string): Promise<void> {
  const control = page.getByRole("combobox", { name: "Seen by" });
  await control.click();
  await page.getByRole("option", { name: choice }).click();
  await expect(control).toHaveValue(choice);
}

test("a private run is seen by its account and operators alone", async ({ page, sandbox }) => {
  const profile = await endlessProfile();
  const [stranger, account] = [await join(page, "member"), await join(page, "member")];
  const { stable_id, size_bytes } = sandbox;
  const confirmation = { stable_id, size_bytes };
  const { id } = await send(page, "POST", "/runs", {
    device_id: sandbox.id,
    profile: profile.name,
    fullness: 0.5,
    confirmation,
  });
  const run = page.getByRole("heading", { name: `Run ${id}`, level: 1 });
  const listed = page.getByRole("link", { name: `Run ${id}`, exact: true });
  const card = page.getByRole("article", { name: sandbox.path ?? "" });
  await page.goto(`/runs/${id}`);
  await expect(run).toBeVisible();
  await seenBy(page, "Only you");
  await look(page, "private-run");
  await page.goto("/runs");
  await expect(page.getByRole("row").filter({ has: listed })).toContainText("private");

  await enterAs(page, stranger);
  await expect(card).toContainText("Held for a private run");
  await expect(card.getByRole("link", { name: `Run ${id}` })).toHaveCount(0);
  await page.goto("/runs");
  await expect(page.getByRole("heading", { name: "Runs", level: 1 })).toBeVisible();
  await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
  await expect(listed).toHaveCount(0);
  await page.goto(`/runs/${id}`);
  await expect(page.getByRole("alert")).toContainText(`There is no run ${id}`);

  await enterAs(page, account);
  await page.goto(`/runs/${id}`);
  await seenBy(page, "Everyone here");
  await enterAs(page, stranger);
  await page.goto(`/runs/${id}`);
  await expect(run).toBeVisible();
  await expect(page.getByText("Seen by: everyone here")).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop" })).toHaveCount(0);
  await page.context().clearCookies();
  await page.context().addCookies([ownSession()]);
  await page.goto(`/runs/${id}`);
  await seenBy(page, "Its account alone");
});

test("a team's profile is seen by its members alone", async ({ page }) => {
  const [mate, stranger, account] = [
    await join(page, "member"),
    await join(page, "viewer"),
    await join(page, "member"),
  ];
  const team = newName();
  await makeTeam(team, [account, mate]);
  const name = `lab-${Date.now().toString(36)}`;
  const { latest_version, description, source, title } = await makeProfile(`${name}-of-the-owner`);
  const { size, depth, age } = latest_version;
  const histograms = { size, depth, age };
  await send(page, "POST", "/profiles", {
    name,
    title: `${title} of ${team}`,
    description,
    source,
    histograms,
    message: "First",
    author: account,
  });
  const card = page.getByRole("link").filter({ hasText: `${title} of ${team}` });
  await page.goto(`/profiles/${name}`);
  await seenBy(page, `Team ${team}`);
  await look(page, "team-profile");

  await enterAs(page, mate);
  await page.goto("/profiles");
  await expect(card).toContainText("shared with a team");
  await card.click();
  await expect(page.getByRole("combobox", { name: "Seen by" })).toHaveValue(`Team ${team}`);
  await page.getByRole("button", { name: "Archive" }).click();
  await page.getByRole("button", { name: "Unarchive" }).click();
  await expect(page.getByRole("button", { name: "Archive" })).toBeVisible();

  await enterAs(page, stranger);
  await page.goto("/profiles");
  await expect(page.getByRole("link").filter({ hasText: "Agrawal" }).first()).toBeVisible();
  await expect(card).toHaveCount(0);
  await page.goto(`/profiles/${name}`);
  await expect(page.getByRole("alert")).toContainText(`There is no profile called '${name}'`);
  await deleteProfiles(name);
});

test("a device for a team is aged by its members alone", async ({ page, sandbox }) => {
  const [stranger, member] = [await join(page, "member"), await join(page, "member")];
  const team = newName();
  await makeTeam(team, [member]);
  const path = sandbox.path ?? "";
  const card = page.getByRole("article", { name: path });
  const age = card.getByRole("button", { name: `Age ${path}` });
  await page.context().clearCookies();
  await page.context().addCookies([ownSession()]);
  await page.goto("/devices");
  await card.getByRole("button", { name: `Choose who uses ${path}` }).click();
  await page.getByRole("combobox", { name: "May be used by" }).click();
  await page.getByRole("option", { name: `Team ${team}` }).click();
  await look(page, "device-users");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(card).toContainText(`Team ${team}`);
  await expect(age).toBeVisible();

  await enterAs(page, stranger);
  await expect(card).toContainText(`Team ${team}`);
  await expect(age).toHaveCount(0);
  await expect(card.getByRole("button")).toHaveText(["History"]);
  await enterAs(page, member);
  await expect(age).toBeEnabled();
});
