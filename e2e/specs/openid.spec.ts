// Signing in through a provider: oidc-provider, as a process of its own.
import { expect, type Page } from "@playwright/test";
import { answered, client, type Schemas } from "../fixtures/api";
import { restartApi } from "../fixtures/host";
import { look } from "../fixtures/look";
import { ProviderProcess, signInAtProvider } from "../fixtures/provider";
import { ownSession, test } from "../fixtures/test";

const PASSWORD = "correct horse battery";
let provider: ProviderProcess;
let made_count = 0;

test.beforeAll(async () => {
  provider = await ProviderProcess.make();
  await provider.start();
  await restartApi(provider.settings);
});

test.afterAll(async () => {
  await provider.stop();
  await restartApi();
});

function newName(): string {
  made_count += 1;
  return `grace-${Date.now().toString(36)}-${made_count}`;
}

async function invite(role: Schemas["Role"]): Promise<string> {
  const body = { role, note: "", expires_in_s: 3600 };
  return answered(await client.POST("/api/v1/links", { body })).token;
}

async function leave(page: Page): Promise<void> {
  await page.context().clearCookies();
}

/** Joins by an invitation: the account and the user at the provider have the same name. */
async function joinWithProvider(page: Page, name: string): Promise<void> {
  const token = await invite("member");
  await leave(page);
  await page.goto(`/enter#${token}`);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Join with Example ID" }).click();
  await signInAtProvider(page, name);
  await expect(page.getByRole("heading", { name: "Devices", level: 1 })).toBeVisible();
}

test("an invitation makes an account without a password, which then signs in to the page it asked for", async ({
  page,
}) => {
  const name = newName();
  await joinWithProvider(page, name);
  await leave(page);
  await page.goto("/profiles?tag=server");
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await page.reload(); // nothing is kept in the page
  await page.getByRole("button", { name: "Sign in with Example ID" }).click();
  await expect(page.getByPlaceholder("Enter any login")).toBeVisible();
  await page.reload();
  await signInAtProvider(page, name);
  await expect(page.getByRole("heading", { name: "Profiles", level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/\/profiles\?tag=server$/);
  await page.getByRole("link", { name }).click();
  await expect(page.getByRole("region", { name: "Sign-in with Example ID" })).toContainText(
    `${name}@example.org`,
  );
  await page.getByRole("button", { name: "Disconnect" }).click();
  await expect(page.getByRole("alert")).toContainText("Set a password first");

  await leave(page);
  await page.context().addCookies([ownSession()]);
  await page.goto("/people");
  await expect(page.getByRole("listitem", { name })).toContainText(`Example ID: ${name}@example.org`);
});

test("who has no account is told what to do, and signs in with a password instead", async ({ page }) => {
  await leave(page);
  await page.goto("/runs");
  await page.getByRole("button", { name: "Sign in with Example ID" }).click();
  await signInAtProvider(page, newName());
  await expect(page.getByRole("alert")).toContainText("No account has this identity");
  await expect(page.getByRole("alert")).toContainText("Ask an owner for an invitation");
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await look(page, "openid-unknown");
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("This sign-in is over");
  const made = { token: await invite("viewer"), name: newName(), password: PASSWORD };
  answered(await client.POST("/api/v1/links/use", { body: made }));
  await page.getByLabel("Name").fill(made.name);
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Devices", level: 1 })).toBeVisible();
});

test("who stops at the provider is told so", async ({ page }) => {
  await leave(page);
  await page.goto("/runs");
  await page.getByRole("button", { name: "Sign in with Example ID" }).click();
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(page.getByRole("alert")).toContainText("access_denied");
});

test("an account connects an identity, signs in by it, and disconnects it", async ({ page }) => {
  const token = await invite("viewer");
  await leave(page);
  await page.goto(`/enter#${token}`);
  const name = newName();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Make my account" }).click();
  await expect(page.getByRole("heading", { name: "Devices", level: 1 })).toBeVisible();
  await page.goto("/account");
  await page.getByRole("button", { name: "Connect with Example ID" }).click();
  await signInAtProvider(page, `${name}-there`);
  const section = page.getByRole("region", { name: "Sign-in with Example ID" });
  await expect(section).toContainText(`Connected with ${name}-there@example.org`);
  await expect(page).toHaveURL(/\/account$/);
  await look(page, "openid-account");

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with Example ID" }).click(); // the provider knows this browser
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  await section.getByRole("button", { name: "Disconnect" }).click();
  await expect(section).toContainText("Not connected.");
});

test("a provider that is stopped is named, and the form goes on", async ({ page }) => {
  await leave(page);
  await provider.stop();
  await restartApi(provider.settings); // knows nothing of the provider
  await page.goto("/images");
  const button = page.getByRole("button", { name: "Sign in with Example ID" });
  await button.click();
  await expect(page.getByRole("alert")).toContainText("The provider cannot be reached");
  await expect(page.getByRole("alert")).toContainText("sign in with a password");
  await look(page, "openid-stopped");
  await provider.start();
  await button.click();
  await expect(page.getByPlaceholder("Enter any login")).toBeVisible();
});

test("the forms look right at every width", async ({ page }) => {
  const token = await invite("member");
  await leave(page);
  await page.goto("/images");
  await expect(page.getByRole("button", { name: "Sign in with Example ID" })).toBeVisible();
  await look(page, "openid-sign-in");
  await page.goto(`/enter#${token}`);
  await expect(page.getByRole("button", { name: "Join with Example ID" })).toBeVisible();
  await look(page, "openid-enter");
});

test("without the settings there is no button", async ({ page }) => {
  await restartApi();
  await leave(page);
  await page.goto("/images");
  await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
  await expect(page.getByText("Example ID")).toHaveCount(0);
});
