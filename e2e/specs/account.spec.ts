// Accounts: a link makes one, a password opens it, a role limits it, an owner ends it.
import { expect } from "@playwright/test";
import { answered, client } from "../fixtures/api";
import { expectAccessibleInBothSchemes, look } from "../fixtures/look";
import { enterAs, invite, join, newName, PASSWORD, signIn } from "../fixtures/people";
import { ownSession, test } from "../fixtures/test";

test("an invitation makes an account, which signs out and in again", async ({ page }) => {
  await page.goto("/people");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("For whom").fill("For Ada");
  await page.getByRole("button", { name: "Make the link" }).click();
  const url = (await page.getByRole("dialog").locator("code").textContent()) ?? "";
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("list", { name: "Open links" })).toContainText("For Ada");

  await page.context().clearCookies();
  await page.goto(url);
  await expect(page.getByRole("heading", { name: "Make your account" })).toBeVisible();
  const name = newName();
  await page.getByLabel("Name").fill("Not A Name");
  await expect(page.getByText("Small letters, digits")).toBeVisible();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("textbox", { name: "Password" }).fill("short");
  await expect(page.getByRole("button", { name: "Make my account" })).toBeDisabled();
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Devices", level: 1 })).toBeVisible();
  await expect(page.getByRole("link", { name: "People" })).toHaveCount(0);

  await page.getByRole("link", { name }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await signIn(page, name, "a wrong password");
  await expect(page.getByRole("alert")).toContainText("Name or password wrong");
  await signIn(page, name);
  await expect(page).toHaveURL(/\/account$/);
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();

  await page.goto(url);
  await page.reload(); // the address differs behind # alone
  await expect(page.getByRole("alert")).toContainText("Link invalid, used or expired");
});

test("who is not signed in sees the form in place of any page, and then that page", async ({ page }) => {
  const name = await join(page, "viewer");
  await page.context().clearCookies();
  await page.goto("/profiles?tag=server");
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(page.getByLabel("Name")).toBeFocused();
  await expectAccessibleInBothSchemes(page);
  await signIn(page, name);
  await expect(page.getByRole("heading", { name: "Profiles", level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/tag=server/);
});

test("a session that an owner ends shows the form at once", async ({ page }) => {
  const name = await join(page, "member");
  const { items } = answered(await client.GET("/api/v1/accounts"));
  const account_id = items.find((account) => account.name === name)?.id ?? 0;
  const params = { path: { account_id } };
  answered(await client.PATCH("/api/v1/accounts/{account_id}", { params, body: { is_closed: true } }));
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
});

test("a viewer sees what there is, and no button that would be refused", async ({ page, aged }) => {
  await join(page, "viewer");
  await expect(page.getByText(aged.device.path ?? "", { exact: true }).first()).toBeVisible();
  const refused = ["Make a sandbox device", /^Age \/dev/, "Add a host", "Add a webhook", "New trial"];
  for (const place of ["/devices", "/hosts", "/notifications", "/trials", `/images/${aged.image.id}`]) {
    await page.goto(place);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
    for (const name of refused) {
      await expect(page.getByRole("button", { name })).toHaveCount(0);
      await expect(page.getByRole("link", { name })).toHaveCount(0);
    }
    await expect(page.getByRole("alert")).toHaveCount(0);
  }
});

test("an access token is made, shown once, used and revoked", async ({ page, request }) => {
  await page.goto("/account");
  await page.getByRole("button", { name: "Make an access token" }).click();
  await page.getByLabel("What it is for").fill("nightly");
  await page.getByRole("button", { name: "Make the token" }).click();
  const token = (await page.getByRole("dialog").locator("code").last().textContent()) ?? "";
  const asked = () => request.get("/api/v1/images", { headers: { Authorization: `Bearer ${token}` } });
  expect((await asked()).status()).toBe(200);
  await page.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("listitem", { name: "nightly" });
  await expect(row).toContainText("member");
  await row.getByRole("button", { name: "Revoke nightly" }).click();
  await expect(row).toHaveCount(0);
  expect((await asked()).status()).toBe(401);
});

test("an owner changes a role, and the audit trail names both", async ({ page }) => {
  const name = await join(page, "viewer");
  await page.context().clearCookies();
  await page.context().addCookies([ownSession()]);
  await page.goto("/people");
  const role = page.getByRole("combobox", { name: `Role of ${name}` });
  await role.click();
  await page.getByRole("option", { name: "Operator" }).click();
  await expect(role).toHaveValue("Operator");
  await page.getByRole("link", { name: "Audit trail" }).click();
  await expect(page.getByText(`account ${name}: role from viewer to operator`)).toBeVisible();
  await page.getByLabel("Operation").fill("use_link");
  await expect(page.getByText(`made account ${name}`)).toBeVisible();
  await expect(page).toHaveURL(/action=use_link/);
});

test("an image shared with a team is seen by its members alone", async ({ page, aged }) => {
  const image = `/images/${aged.image.id}`;
  const missing = page.getByRole("heading", { name: "Image not found" });
  const found = page.getByRole("heading", { name: aged.image.name, level: 1 });
  const [member, stranger] = [await join(page, "member"), await join(page, "member")];
  const as = async (name: string) => {
    await enterAs(page, name);
    await page.goto(image);
  };
  await page.context().clearCookies();
  await page.context().addCookies([ownSession()]);
  await page.goto("/people");
  const team = newName();
  await page.getByLabel("New team").fill(team);
  await page.getByRole("button", { name: "Make the team" }).click();
  const members = page.getByRole("combobox", { name: `Members of ${team}` });
  for (const name of [member, "owner-of-the-tests"]) {
    await members.click();
    await page.getByRole("option", { name, exact: true }).click();
  }
  await expect(page.getByRole("listitem", { name: `Team ${team}` })).toContainText(member);
  await page.goto(image);
  await page.getByRole("combobox", { name: "Seen by" }).click();
  await page.getByRole("option", { name: `Team ${team}` }).click();
  await expect(page.getByRole("combobox", { name: "Seen by" })).toHaveValue(`Team ${team}`);
  try {
    await as(member);
    await expect(found).toBeVisible();
    await as(stranger);
    await expect(missing).toBeVisible();
    await page.goto("/images");
    await expect(page.getByText(aged.imported.name)).toBeVisible();
    await expect(page.getByText(aged.image.name, { exact: true })).toHaveCount(0);
  } finally {
    const params = { path: { image_id: aged.image.id } };
    const body = { visibility: "everyone", team_id: null } as const;
    answered(await client.PUT("/api/v1/images/{image_id}/sharing", { params, body }));
  }
  await page.goto(image);
  await expect(found).toBeVisible();
  await expect(page.getByRole("button", { name: "Delete" })).toHaveCount(0);
});

test("the pages of accounts look right at every width", async ({ page }) => {
  const { token } = await invite("member");
  await page.goto("/account");
  await expect(page.getByRole("list", { name: "Sessions and access tokens" })).toBeVisible();
  await look(page, "account");
  await page.goto("/people");
  await expect(page.getByRole("list", { name: "Open links" })).toBeVisible();
  await look(page, "people");
  await page.goto("/audit");
  await expect(page.getByRole("table")).toBeVisible();
  await look(page, "audit");
  await page.goto(`/enter#${token}`);
  await expect(page.getByRole("button", { name: "Make my account" })).toBeVisible();
  await look(page, "enter");
});
