// Each part of the application is killed under a run that somebody watches: the page says so, and shows all of it.
import { getDevice, listEvents, runWhenSampled, startRun } from "../fixtures/api";
import { killPart, startAgain, type Part } from "../fixtures/host";
import { expect, test } from "../fixtures/test";

const names: Record<Part, string> = {
  api: "the API",
  worker: "the worker",
  redis: "Redis",
  postgresql: "PostgreSQL",
};
const parts: Record<Part, { says: RegExp | null; goesOnFromCheckpoint: boolean }> = {
  api: { says: /Reconnecting. The run goes on; nothing is lost./, goesOnFromCheckpoint: false },
  worker: { says: /Host local has not been heard since/, goesOnFromCheckpoint: true },
  redis: { says: null, goesOnFromCheckpoint: false }, // what is stored is shown, a moment later
  postgresql: { says: null, goesOnFromCheckpoint: false }, // the curves rest for as long as it is away
};

for (const [part, { says, goesOnFromCheckpoint }] of Object.entries(parts)) {
  test(`a run goes on, and its page with it, when ${names[part as Part]} is killed`, async ({
    page,
    sandbox,
  }) => {
    test.setTimeout(240_000);
    const run = await startRun(sandbox, "douceur");
    await runWhenSampled(run.id);
    await page.goto(`/runs/${run.id}`);
    const stream = page.getByRole("status", { name: "Event stream" });
    await expect(stream).toContainText("live");
    const before = (await listEvents(run.id)).length;

    await killPart(part as Part);
    if (says !== null) {
      await expect(page.getByRole("status").filter({ hasText: says })).toBeVisible({ timeout: 60_000 });
    }
    await startAgain();

    await expect
      .poll(async () => (await listEvents(run.id)).length, { timeout: 90_000 })
      .toBeGreaterThan(before + 4);
    await expect(page).toHaveTitle(/stable|rapid/, { timeout: 60_000 });
    await expect(stream).toContainText("live");
    const resumed = page.getByRole("region", { name: "Events" }).getByText("goes on from its checkpoint");
    await expect(resumed).toHaveCount(goesOnFromCheckpoint ? 1 : 0);

    await page.getByRole("button", { name: "Stop this run" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: `Stop run ${run.id}` })
      .click();
    await expect(page).toHaveTitle(`Run ${run.id} canceled · Patina`, { timeout: 60_000 });
    const events = await listEvents(run.id);
    await expect(stream).toHaveText(`${events.length} events, complete`);
    expect(events.map(({ follows }) => follows)).toEqual([
      0,
      ...events.slice(0, -1).map(({ sequence }) => sequence),
    ]);
    expect((await getDevice(sandbox.id)).state).toBe("available");
  });
}
