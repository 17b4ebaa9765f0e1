// The time that an emulated disk's model predicts: of a run on its page, in lists and comparisons, and of a trial.
import {
  answered,
  client,
  getDevice,
  imageOf,
  makeSandbox,
  MIB,
  removeSandbox,
  runWhenEnded,
  startRun,
  type Device,
} from "../fixtures/api";
import { makeEmulated } from "../fixtures/emulated";
import { look } from "../fixtures/look";
import { expect, test as base } from "../fixtures/test";
import { endTrialsOn, trialWhenEnded, type Trial } from "../fixtures/trial";

const MODEL = "Hitachi 80 GB, 7200 rpm";

const test = base.extend<{ emulated: Device; plain: Device }>({
  emulated: async ({}, use) => {
    const device = await makeEmulated();
    await use(device);
    await endTrialsOn(device.id);
    await removeSandbox(device.id);
  },
  plain: async ({}, use) => {
    const device = await makeSandbox(128 * MIB);
    await use(device);
    await removeSandbox(device.id);
  },
});

/** Starts a trial of `find` on an image. */
async function startTrial(device_id: number, image_id: number): Promise<Trial> {
  const device = await getDevice(device_id);
  const confirmation = { stable_id: device.stable_id, size_bytes: device.size_bytes, typed: device.path };
  return answered(
    await client.POST("/api/v1/trials", {
      body: {
        device_id,
        confirmation,
        arms: [{ image_id, has_journal: true, gets_data: false }],
        workloads: [{ kind: "find" }],
        repetitions_count: 3,
        is_traced: true,
        name: "",
        note: "",
        waits: false,
        adds_twins: false,
      },
    }),
  );
}

test("the predicted time of a run is on its page, in the list and in a comparison, and that of a trial on its page", async ({
  page,
  emulated,
  plain,
}) => {
  const started = [await startRun(emulated, "agrawal", 0.3), await startRun(plain, "agrawal", 0.3)];
  const [run, other] = await Promise.all(started.map(({ id }) => runWhenEnded(id)));
  expect([run?.state, other?.state]).toEqual(["succeeded", "succeeded"]);
  expect(run?.prediction).toMatchObject({ model_label: MODEL, time: "fast" });
  expect(other?.prediction).toBeNull();

  await page.goto(`/runs/${run?.id}`);
  const sentence = page.getByText(
    /^Aging took .+ here; predicted .+ on Hitachi 80 GB, 7200 rpm, fast time\.$/,
  );
  await expect(sentence).toBeVisible();
  await look(page, "predicted-run");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "predicted", exact: true }).press("Enter");
  await expect(
    page.getByText(/^the time that a run, or a repetition of a trial, would have taken/),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await page.goto(`/runs/${other?.id}`);
  await expect(page.getByText("Stopped because")).toBeVisible();
  await expect(page.getByText("predicted", { exact: true })).toHaveCount(0);

  await page.goto("/runs");
  const row = (id: number | undefined) => page.getByRole("row").filter({ hasText: `Run ${id}` });
  await expect(row(run?.id)).toContainText(/predicted .+ on Hitachi 80 GB, 7200 rpm/);
  await expect(row(other?.id)).not.toContainText("predicted");
  await look(page, "predicted-runs");
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.goto(`/runs/compare?ids=${run?.id},${other?.id}`);
  const figures = page.getByRole("table", { name: "Figures of the runs" });
  await expect(figures.getByRole("row", { name: /^Predicted aging time/ })).toContainText(`on ${MODEL}`);

  const trial = await startTrial(emulated.id, (await imageOf(run?.id ?? 0)).id);
  const ended = await trialWhenEnded(trial.id);
  expect(ended.repetitions.map(({ state }) => state)).toEqual(["done", "done", "done"]);
  await page.goto(`/trials/${trial.id}`);
  const predicted = page.getByRole("region", { name: "Predicted time" });
  await expect(predicted.getByRole("figure", { name: `On ${MODEL}` })).toBeVisible();
  await expect(predicted).toContainText("These times are predicted, not measured");
  const repetitions = page.getByRole("region", { name: "Repetitions, scrollable" });
  await expect(repetitions.getByRole("columnheader", { name: "Predicted" })).toBeVisible();
  await look(page, "predicted-trial");
});
