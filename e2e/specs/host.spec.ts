// Hosts: what they are, and how another one is asked in.
import { look } from "../fixtures/look";
import { expect, test } from "../fixtures/test";

test.use({ contextOptions: { reducedMotion: "reduce" } });

test("the rail leads to the hosts, each with its health, kernel, tools and devices", async ({ page }) => {
  await page.goto("/runs");
  await page.getByRole("list", { name: "Hosts" }).getByRole("link", { name: "local" }).click();
  await expect(page).toHaveURL(/\/hosts$/);
  const host = page.getByRole("list", { name: "All hosts" }).getByRole("listitem", { name: "local" });
  await expect(host.getByText("reports")).toBeVisible();
  await expect(host.getByText("Kernel")).toBeVisible();
  await host.getByText("sandbox devices only").click();
  await expect(host.getByText("mke2fs")).toBeVisible();
  await expect(host.getByRole("button", { name: "Remove local" })).toHaveCount(0);
  await look(page, "hosts");
});

test("a join token is shown once, as the one command, and can be revoked", async ({ page }) => {
  await page.goto("/hosts");
  await page.getByRole("button", { name: "Add a host" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a host" });
  const make = dialog.getByRole("button", { name: "Make a join token" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("lab 2");
  await expect(make).toBeDisabled();
  await dialog.getByRole("textbox", { name: "Name" }).fill("lab-2");
  await make.click();
  await expect(dialog.getByText(/bin\/patina-worker join http.* --token join-.* --name lab-2/)).toBeVisible();
  await look(page, "host-join");
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();

  const token = page.getByRole("list", { name: "Join tokens" }).getByRole("listitem").first();
  await expect(token.getByText("open")).toBeVisible();
  await expect(token).toContainText("used 0 of 1");
  await token.getByRole("button", { name: /Revoke join token/ }).click();
  await expect(token.getByText("revoked")).toBeVisible();
});
