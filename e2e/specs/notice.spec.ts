// Notices on the end of a run: this browser, and webhooks.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { addWebhook, cancelRun, getRun, removeWebhooks, runWhenEnded } from "../fixtures/api";
import { pausedEndless, startEndless } from "../fixtures/endless";
import { expect, test } from "../fixtures/test";

interface Told {
  title: string;
  body: string;
  tag: string;
}

/** Records the page's notifications; the permission is the browser's own. */
async function recordNotifications(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const told: Told[] = [];
    class Recorder extends EventTarget {
      static get permission() {
        return real.permission;
      }
      static requestPermission() {
        return real.requestPermission();
      }
      constructor(title: string, options: NotificationOptions = {}) {
        super();
        told.push({ title, body: options.body ?? "", tag: options.tag ?? "" });
      }
      close() {
        told.length = 0;
      }
    }
    const real = globalThis.Notification;
    Object.assign(globalThis, { Notification: Recorder, told });
  });
}

function toldBy(page: Page): Promise<Told[]> {
  return page.evaluate(() => (globalThis as unknown as { told: Told[] }).told);
}

/** Hides the page as another window in front of it does, which a headless browser does not have. */
async function hide(page: Page): Promise<void> {
  await page.evaluate(() =>
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" }),
  );
}

test("a browser that was asked to tells of a run's end, once in all tabs, also after a reload", async ({
  page,
  context,
  sandbox,
}) => {
  await context.grantPermissions(["notifications"]);
  await recordNotifications(page);
  const run = await pausedEndless(sandbox);
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("button", { name: `Notify me of run ${run.id}`, exact: true }).click();
  const bell = page.getByRole("button", { name: `Do not notify me of run ${run.id}`, exact: true });
  await expect(bell).toHaveText("You will be notified");
  await page.reload();
  await expect(bell).toBeVisible();

  const other = await context.newPage();
  await recordNotifications(other);
  await other.goto("/notifications");
  await expect(other.getByRole("list", { name: "Followed runs" })).toContainText(`Run ${run.id}`);
  await hide(page);
  await hide(other);
  await page.getByRole("button", { name: "Stop this run" }).click();
  await page.getByRole("button", { name: `Stop run ${run.id}`, exact: true }).click();
  await runWhenEnded(run.id);

  const all = async () => [...(await toldBy(page)), ...(await toldBy(other))];
  await expect
    .poll(async () => (await all()).map(({ title }) => title))
    .toEqual([`Run ${run.id} was canceled`]);
  const [told] = await all();
  expect(told?.body).toBe("Canceled; the device is unmounted and free, no image was made");
  await expect(other.getByText("No run is followed in this browser.")).toBeVisible();
  expect(await all()).toHaveLength(1);
});

test("a visible page shows the end of a run, from any of its places", async ({ page, context, sandbox }) => {
  await context.grantPermissions(["notifications"]);
  await recordNotifications(page);
  const run = await pausedEndless(sandbox);
  await page.goto("/runs");
  await page.getByRole("button", { name: `Notify me of run ${run.id}`, exact: true }).click();
  await expect(
    page.getByRole("button", { name: `Do not notify me of run ${run.id}`, exact: true }),
  ).toBeVisible();
  await page.getByRole("link", { name: "Profiles" }).click();
  await cancelRun(run.id);
  const news = page.getByRole("status", { name: "News of runs" });
  await expect(news).toContainText(`Run ${run.id} was canceled`);
  expect(await toldBy(page)).toEqual([]);
  await news.getByRole("link", { name: `Run ${run.id} was canceled` }).click();
  await expect(page.getByRole("heading", { name: `Run ${run.id}` })).toBeVisible();
  await expect(news).toBeEmpty();
});

test("where the browser refuses, the page says what to do", async ({ page, context, held: { run } }) => {
  await context.clearPermissions();
  await page.addInitScript(() => {
    Object.defineProperty(Notification, "permission", { get: () => "denied" });
    Notification.requestPermission = () => Promise.resolve("denied");
  });
  await page.goto(`/runs/${run.id}`);
  const bell = page.getByRole("button", { name: `Notify me of run ${run.id}`, exact: true });
  await bell.click();
  await expect(page.getByRole("alert", { name: `Notify me of run ${run.id}` })).toContainText(
    "Allow them in its settings",
  );
  await expect(bell).toHaveAttribute("aria-pressed", "false");
  await page.goto("/notifications");
  await expect(page.getByRole("note")).toContainText("This browser blocks notifications of this page.");
  expect((await getRun(run.id)).id).toBe(run.id);
});

test.describe("webhooks", () => {
  const received: { id: string; signature: string; body: string }[] = [];
  let server: Server;
  let url: string;

  test.beforeAll(async () => {
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const { "webhook-id": id, "webhook-signature": signature } = request.headers;
        received.push({ id: String(id), signature: String(signature), body });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });
  test.afterAll(() => server.close());
  test.beforeEach(removeWebhooks);
  test.afterEach(removeWebhooks);

  test("an empty page offers the first webhook; its secret is shown once; a test arrives; it is removed", async ({
    page,
  }) => {
    received.length = 0;
    await page.goto("/devices");
    await page.getByRole("contentinfo").getByRole("link", { name: "Notifications" }).click();
    await expect(page.getByRole("region", { name: "No webhook yet" })).toBeVisible();
    await page.getByRole("button", { name: "Add a webhook" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Lab chat");
    await dialog.getByLabel("Address").fill(url);
    await dialog.getByLabel("A job was canceled").check();
    await dialog.getByRole("button", { name: "Add this webhook" }).click();
    await expect(dialog.getByText(/^whsec_[A-Za-z0-9+/]{43}=$/)).toBeVisible();
    await dialog.getByRole("button", { name: "I have kept the secret" }).click();

    const card = page.getByRole("article", { name: "Lab chat" });
    await expect(card).toContainText("When a job succeeded, failed, needs attention or was canceled");
    await expect(card).toContainText("No deliveries yet.");
    await card.getByRole("button", { name: "Send a test" }).click();
    const delivery = card.getByRole("listitem", { name: "Test message" });
    await expect(delivery).toContainText("delivered");
    await expect(delivery).toContainText("Answered 204 No Content, 1 try");
    await delivery.getByRole("button", { name: "Send again" }).click();
    // A run that an earlier test has canceled may end now, and sends its notice here too.
    const pings = () => received.filter(({ body }) => body.includes('"ping"'));
    await expect.poll(() => pings().length).toBe(2);
    const [first, again] = pings();
    expect(again?.id).toBe(first?.id);
    expect(first?.signature).toMatch(/^v1,/);
    expect(JSON.parse(first?.body ?? "{}")).toMatchObject({ type: "ping" });

    await card.getByRole("button", { name: "Switch Lab chat off" }).click();
    await expect(card.getByText("off", { exact: true })).toBeVisible();
    await card.getByRole("button", { name: "Remove Lab chat" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
    await expect(page.getByRole("region", { name: "No webhook yet" })).toBeVisible();
  });

  test("an address of the inner network is refused in words", async ({ page }) => {
    await page.goto("/notifications");
    await page.getByRole("button", { name: "Add a webhook" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Inner");
    await dialog.getByLabel("Address").fill("http://10.0.0.1/");
    await dialog.getByRole("button", { name: "Add this webhook" }).click();
    await expect(dialog.getByRole("alert")).toContainText("PATINA_WEBHOOK_PRIVATE_ADDRESSES");
  });

  test("the end of a run arrives", async ({ page, sandbox }) => {
    received.length = 0;
    await addWebhook("Ends", url, ["succeeded", "failed", "canceled"]);
    const run = await startEndless(sandbox);
    await cancelRun(run.id);
    await page.goto("/notifications");
    const delivery = page.getByRole("listitem", { name: `Run ${run.id} was canceled` });
    await expect(delivery).toContainText("delivered");
    const bodies = received.map(({ body }) => JSON.parse(body) as { type: string; data: { job_id: number } });
    expect(bodies.find(({ data }) => data.job_id === run.id)?.type).toBe("run.canceled");
  });
});
