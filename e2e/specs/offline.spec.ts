// A browser that reports to be offline, and one that cannot reach the server.
import type { Locator, Page } from "@playwright/test";
import { act, endTrace, getDevice, getRun, type Device } from "../fixtures/api";
import { pausedEndless } from "../fixtures/endless";
import { askToDelete } from "../fixtures/image";
import { expect, test } from "../fixtures/test";

test("what the browser says of the network keeps no page from the server", async ({ page, blank }) => {
  await page.goto("/profiles");
  await expect(page.getByRole("link", { name: "Agrawal 2007" })).toBeVisible();
  await page.evaluate(() => globalThis.dispatchEvent(new Event("offline")));
  await page.getByRole("link", { name: "Devices" }).click();
  await expect(page.getByRole("article", { name: blank.path ?? "", exact: true })).toBeVisible();
});

/** Clicks while the server is unreachable, leaves the page, and comes back online: the click must have no effect. */
async function clickOffline(page: Page, button: Locator): Promise<void> {
  const changes: string[] = [];
  page.on("request", (asked) => {
    // A forecast is a POST of its own timing that changes nothing.
    if (asked.method() !== "GET" && !asked.url().endsWith("/api/v1/forecasts"))
      changes.push(`${asked.method()} ${asked.url()}`);
  });
  await expect(button).toBeEnabled();
  await page.context().setOffline(true);
  try {
    await button.click();
    // The page behind a dialog reports it as well, after its own request.
    await expect(
      page.getByRole("alert").filter({ hasText: "The server did not answer" }).first(),
    ).toBeVisible();
  } finally {
    await page.context().setOffline(false);
  }
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Profiles" }).click();
  await expect(page.getByRole("link", { name: "Agrawal 2007" })).toBeVisible();
  expect(changes).toHaveLength(1);
}

test.describe("a click that did not reach the server says so, and is not carried out later:", () => {
  const cardOf = async (page: Page, device: Device) => {
    await page.goto("/devices");
    return page.getByRole("article", { name: device.path ?? "", exact: true });
  };

  test("remove a device", async ({ page, sandbox }) => {
    const card = await cardOf(page, sandbox);
    await clickOffline(page, card.getByRole("button", { name: `Remove ${sandbox.path}`, exact: true }));
    expect((await getDevice(sandbox.id)).state).toBe("available");
  });

  test("age a device", async ({ page, sandbox }) => {
    const card = await cardOf(page, sandbox);
    await card.getByRole("button", { name: `Age ${sandbox.path}`, exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Age ${sandbox.path}` });
    await clickOffline(page, dialog.getByRole("button", { name: `Age ${sandbox.path}` }));
    expect((await getDevice(sandbox.id)).holds).toBeNull();
  });

  test("stop a run", async ({ page, sandbox }) => {
    const run = await pausedEndless(sandbox);
    await page.goto(`/runs/${run.id}`);
    await page.getByRole("button", { name: "Stop this run" }).click();
    await clickOffline(page, page.getByRole("dialog").getByRole("button", { name: `Stop run ${run.id}` }));
    expect((await getRun(run.id)).state).toBe("paused");
  });

  test("restore an image, and roll a device back", async ({ page, sandbox, aged }) => {
    const card = await cardOf(page, sandbox);
    await card.getByRole("button", { name: `Restore an image to ${sandbox.path}`, exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Restore an image to ${sandbox.path}` });
    await dialog.getByRole("combobox", { name: "Image" }).click();
    await page.getByRole("option", { name: new RegExp(`^${aged.imported.name},`) }).click();
    await clickOffline(page, dialog.getByRole("button", { name: `Restore to ${sandbox.path}` }));
    expect((await getDevice(sandbox.id)).holds).toBeNull();

    await act("restore", sandbox, aged.imported.id);
    await endTrace(await act("trace", sandbox));
    await cardOf(page, sandbox);
    await card.getByRole("button", { name: `Roll back: ${sandbox.path}`, exact: true }).click();
    const asked = page.getByRole("dialog", { name: `Roll ${sandbox.path} back?` });
    await clickOffline(page, asked.getByRole("button", { name: `Roll ${sandbox.path} back` }));
    expect((await getDevice(sandbox.id)).state).toBe("available");
  });

  test("delete an image", async ({ page, aged }) => {
    await page.goto(`/images/${aged.imported.id}`);
    await askToDelete(page);
    const dialog = page.getByRole("dialog", { name: `Delete ${aged.imported.name}?` });
    await clickOffline(page, dialog.getByRole("button", { name: `Delete ${aged.imported.name}` }));
    await page.goto(`/images/${aged.imported.id}`);
    await expect(page.getByRole("heading", { name: aged.imported.name })).toBeVisible();
  });
});
