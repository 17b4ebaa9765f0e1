// Hosts: their facts, the join of another one, and the notices on a silent one.
import { askToCancelRunsOf, cancelRun, getDevice, makeSandbox, removeHost } from "../fixtures/api";
import { runningEndless } from "../fixtures/endless";
import { JoinedHost } from "../fixtures/joined";
import { look } from "../fixtures/look";
import { expect, SANDBOX_BYTES, test } from "../fixtures/test";

test.use({ contextOptions: { reducedMotion: "reduce" } });

test("the rail leads to the hosts, each with its health, kernel, tools and devices", async ({ page }) => {
  await page.goto("/runs");
  await page.getByRole("list", { name: "Hosts" }).getByRole("link", { name: "local" }).click();
  await expect(page).toHaveURL(/\/hosts$/);
  const host = page.getByRole("list", { name: "All hosts" }).getByRole("listitem", { name: "local" });
  await expect(host.getByText("online")).toBeVisible();
  await expect(host.getByText("Kernel")).toBeVisible();
  await host.getByText("sandbox devices only").click();
  await expect(host.getByText("mke2fs")).toBeVisible();
  await expect(host.getByRole("button", { name: "Remove local" })).toHaveCount(0);
  await host.getByText("scan folder").click();
  await expect(host.getByText("sudo bin/patina-worker scan-folders --add /srv/projects")).toBeVisible();
  await expect(host.getByRole("button", { name: "Copy the command that allows a folder" })).toBeVisible();
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
  await expect(
    dialog.getByText(/echo join-.* \| sudo bin\/patina-worker join http.* --token - --name lab-2/),
  ).toBeVisible();
  await look(page, "host-join");
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();

  const token = page.getByRole("list", { name: "Join tokens" }).getByRole("listitem").first();
  await expect(token.getByText("open")).toBeVisible();
  await expect(token).toContainText("used 0 of 1");
  await token.getByRole("button", { name: /Revoke join token/ }).click();
  await expect(token.getByText("revoked")).toBeVisible();
});

test("a host joins by the command of the page, is missed when it is lost, and resumes its run", async ({
  page,
}) => {
  test.skip(process.getuid?.() !== 0, "a worker makes loop devices: needs root");
  await page.goto("/hosts");
  await page.getByRole("button", { name: "Add a host" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a host" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("lab-7");
  await dialog.getByRole("button", { name: "Make a join token" }).click();
  const command = dialog.getByText(/^echo join-\S+ \| sudo bin\/patina-worker join/);
  await expect(command).toBeVisible();
  const host = await JoinedHost.join((await command.textContent()) ?? "");
  try {
    await dialog.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("list", { name: "All hosts" }).getByRole("listitem", { name: "lab-7" });
    await expect(row.getByText("online"), await host.log()).toBeVisible();
    const device = await makeSandbox(SANDBOX_BYTES, "memory", "lab-7");
    const run = await runningEndless(device);

    await host.kill();
    await expect(row.getByText("silent")).toBeVisible();
    await look(page, "host-silent");
    await page.goto(`/runs/${run.id}`);
    const lost = page.getByRole("status").filter({ hasText: "No heartbeat from host lab-7 since" });
    await expect(lost).toBeVisible();
    await look(page, "run-host-silent");
    await page.goto(`/runs/compare?ids=${run.id},999999999`);
    await expect(lost).toContainText(`run ${run.id} continues there`);
    const state = page.getByRole("row", { name: /^State/ });
    await expect(state).toContainText("host lab-7 silent since");
    await look(page, "compare-host-silent");
    await page.goto("/runs");
    const item = page
      .getByRole("row")
      .filter({ has: page.getByLabel(`Choose run ${run.id}`, { exact: true }) });
    await expect(item).toContainText("no heartbeat from host lab-7 since");
    await page.goto("/devices");
    const card = page
      .getByRole("article", { name: device.path ?? "", exact: true })
      .filter({ hasText: "lab-7" });
    await expect(card).toContainText("No heartbeat from host lab-7 since");
    await look(page, "devices-host-silent");

    await page.goto(`/runs/${run.id}`);
    host.start();
    await expect(lost).toBeHidden();
    const events = page.getByRole("region", { name: "Events" });
    await expect(events.getByText("goes on from its checkpoint").first()).toBeVisible();
    await cancelRun(run.id);
    await expect.poll(async () => (await getDevice(device.id)).active_lease).toBeNull();
  } finally {
    await askToCancelRunsOf("lab-7");
    await host.leave();
    await removeHost("lab-7");
  }
});
