// Each part of the application is killed while a page shows a run: the page reports it, and then shows every event.
import { expectNoHole, getDevice, lastSequence, listEvents } from "../fixtures/api";
import { runningEndless } from "../fixtures/endless";
import { killPart, startAgain, type Part } from "../fixtures/host";
import { expect, test } from "../fixtures/test";

const names: Record<Part, string> = {
  api: "the API",
  worker: "the worker",
  redis: "Redis",
  postgresql: "PostgreSQL",
};
const parts: Record<Part, { says: RegExp | null; goesOnFromCheckpoint: boolean }> = {
  api: { says: /Reconnecting. The run continues; no events are lost./, goesOnFromCheckpoint: false },
  worker: { says: /No heartbeat from host local since/, goesOnFromCheckpoint: true },
  redis: { says: null, goesOnFromCheckpoint: false }, // stored events are shown a moment later
  postgresql: { says: null, goesOnFromCheckpoint: false }, // the curves stop while it is down
};

for (const [part, { says, goesOnFromCheckpoint }] of Object.entries(parts)) {
  test(`a run goes on, and its page with it, when ${names[part as Part]} is killed`, async ({
    page,
    sandbox,
  }) => {
    const run = await runningEndless(sandbox);
    await page.goto(`/runs/${run.id}`);
    const stream = page.getByRole("status", { name: "Event stream" });
    await expect(stream).toContainText("live");

    await killPart(part as Part);
    if (says !== null) {
      await expect(page.getByRole("status").filter({ hasText: says })).toBeVisible();
    }
    await startAgain();
    const before = await lastSequence(run.id);

    await expect.poll(() => lastSequence(run.id)).toBeGreaterThan(before + 4);
    await expect(page).toHaveTitle(/stable|rapid/);
    await expect(stream).toContainText("live");
    const resumed = page.getByRole("region", { name: "Events" }).getByText("goes on from its checkpoint");
    await expect(resumed).toHaveCount(goesOnFromCheckpoint ? 1 : 0);

    await page.getByRole("button", { name: "Stop this run" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: `Stop run ${run.id}`, exact: true })
      .click();
    await expect(page).toHaveTitle(`Run ${run.id} canceled · Patina`);
    const events = await listEvents(run.id);
    await expect(stream).toContainText(`of ${events.at(-1)?.sequence} events, complete`);
    expectNoHole(events);
    await expect.poll(async () => (await getDevice(sandbox.id)).state).toBe("available");
  });
}
