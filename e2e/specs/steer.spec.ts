// A running run: paused, with other stop conditions, with a note, killed and resumed, waited for, aged further.
import { expectNoHole, getRun, listEvents, runWhenEnded, startRun } from "../fixtures/api";
import { pausedEndless, runningEndless } from "../fixtures/endless";
import { killCoreOf } from "../fixtures/host";
import { look } from "../fixtures/look";
import { expectSaved } from "../fixtures/saved";
import { expect, test } from "../fixtures/test";

test("a run pauses when it is told to, and goes on when it is told to", async ({ page, sandbox }) => {
  const run = await runningEndless(sandbox);
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("button", { name: "Pause" }).click();
  const goOn = page.getByRole("button", { name: "Resume" });
  await expect(goOn).toBeEnabled();
  await expect(page).toHaveTitle(/Run \d+/);
  expect((await getRun(run.id)).state).toBe("paused");
  await page.reload();
  await goOn.click();
  await expect(page.getByRole("button", { name: "Pause" })).toBeEnabled();
  expect((await getRun(run.id)).state).toBe("running");
});

test("a run that is continued and stopped changes its buttons, and nothing moves below them", async ({
  page,
  sandbox,
}) => {
  const run = await pausedEndless(sandbox);
  await page.goto(`/runs/${run.id}`);
  await expect(page.getByRole("figure", { name: "Pace" })).toBeVisible();
  await page.evaluate(async () => {
    await document.fonts.ready;
  });
  const top = async () => (await page.getByRole("region", { name: "Progress" }).boundingBox())?.y;
  const paused = await top();
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByRole("button", { name: "Pause" })).toBeEnabled();
  expect(await top()).toBe(paused);
  await page.getByRole("button", { name: "Stop this run" }).click();
  await page.getByRole("button", { name: `Stop run ${run.id}` }).click();
  await expect(page.getByRole("link", { name: "Run it again" })).toBeVisible();
  expect(await top()).toBe(paused);
});

test("other stop conditions end a run, which is then aged further by another", async ({ page, sandbox }) => {
  const run = await runningEndless(sandbox);
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("button", { name: "Stop conditions…" }).click();
  const dialog = page.getByRole("dialog", { name: `Stop conditions of run ${run.id}` });
  await dialog.getByRole("radio", { name: "the age RMSE is good enough" }).check();
  await dialog.getByRole("textbox", { name: "Age RMSE" }).fill("20");
  await dialog.getByRole("button", { name: "Change the stop conditions" }).click();
  await expect(dialog).toBeHidden();
  const accuracy = page.getByRole("img", { name: /^RMSE over operations/ });
  await expect(accuracy).toHaveAccessibleName(/budget 20 %$/);
  await expect(page).toHaveTitle(`Run ${run.id} succeeded · Patina`);
  const { stop_reason, summary } = await getRun(run.id);
  expect(stop_reason).toBe("accuracy_reached");

  await page.getByRole("button", { name: "Age further…" }).click();
  const further = page.getByRole("dialog", { name: `Age run ${run.id} further` });
  const start = further.getByRole("button", { name: "Age further" });
  await expect(start).toBeDisabled();
  await further.getByRole("radio", { name: "enough was written" }).check();
  const more = Math.ceil(summary?.overwrites ?? 0) + 2; // the number so far depends on the machine's pace
  await further.getByRole("textbox", { name: "Overwrites" }).fill(String(more));
  await further.getByRole("textbox", { name: `Type ${sandbox.path} to confirm` }).fill(sandbox.path ?? "");
  await start.click();
  await expect(page.getByRole("link", { name: `run ${run.id}`, exact: true })).toBeVisible();
  const [, made] = /\/runs\/(\d+)/.exec(page.url()) ?? [];
  const ended = await runWhenEnded(Number(made));
  expect([ended.state, ended.extends_id]).toEqual(["succeeded", run.id]);
});

test("a run that has converged is aged further, to a number of operations", async ({ page, sandbox }) => {
  const run = await runWhenEnded((await startRun(sandbox, "agrawal", 0.3)).id);
  expect([run.state, run.stop_reason]).toEqual(["succeeded", "converged"]);
  const made_ops_count = run.summary?.ops_count ?? 0;
  await page.goto(`/runs/${run.id}`);
  const opener = page.getByRole("button", { name: "Age further…" });
  await opener.click();
  const further = page.getByRole("dialog", { name: `Age run ${run.id} further` });
  await expect(further.getByText(`Run ${run.id} has met its ages.`)).toBeVisible();
  await expect(further.getByText(`the image of run ${run.id} does not change`)).toBeVisible();
  await expect(further.getByText("will be destroyed")).toHaveCount(0);
  await expect(further.getByRole("radio")).toHaveCount(0);
  const start = further.getByRole("button", { name: "Age further" });
  await further.getByRole("textbox", { name: `Type ${sandbox.path} to confirm` }).fill(sandbox.path ?? "");
  await expect(start).toBeEnabled();
  const ops = further.getByRole("textbox", { name: "Operations in all" });
  await ops.fill(String(made_ops_count));
  await expect(further.getByText("Choose more operations than were made")).toBeVisible();
  await expect(start).toBeDisabled();
  await ops.fill(String(made_ops_count + 1000));
  await start.click();
  await expect(page.getByRole("link", { name: `run ${run.id}`, exact: true })).toBeVisible();
  const [, made] = /\/runs\/(\d+)/.exec(page.url()) ?? [];
  const ended = await runWhenEnded(Number(made));
  expect(ended.state, ended.message).toBe("succeeded");
  expect([ended.extends_id, ended.summary?.ops_count]).toEqual([run.id, made_ops_count + 1000]);
});

test("a note is written, shown, and found again", async ({ page, aged }) => {
  await page.goto(`/runs/${aged.run.id}`);
  await page.getByRole("button", { name: /(Write a|Change the) note/ }).click();
  await page.getByRole("textbox", { name: "Note" }).fill("Fan off, **bay 3**");
  await page.getByRole("button", { name: "Save the note" }).click();
  const written = page.getByRole("region", { name: "Note" }).getByText("bay 3");
  await expect(written).toBeVisible();
  await page.reload();
  await expect(written).toBeVisible();
  expect((await getRun(aged.run.id)).note).toBe("Fan off, **bay 3**");
});

test("a run whose core was killed says so and goes on by itself", async ({ page, sandbox }) => {
  const run = await runningEndless(sandbox);
  await page.goto(`/runs/${run.id}`);
  await expect(page.getByRole("status", { name: "Event stream" })).toContainText("live");
  await killCoreOf(run.id);
  const events = page.getByRole("region", { name: "Events" });
  await expect(events.getByText("was killed from outside").first()).toBeVisible();
  await expect(events.getByText("goes on from its checkpoint").first()).toBeVisible();
  await expect.poll(async () => (await getRun(run.id)).state).toBe("running");
  expectNoHole(await listEvents(run.id));
});

test("who ages a busy device waits for it, and takes the wish back", async ({ page, sandbox }) => {
  const first = await pausedEndless(sandbox);
  await page.goto("/devices");
  const card = page.getByRole("article", { name: sandbox.path ?? "", exact: true });
  await card.getByRole("button", { name: `Age next: ${sandbox.path}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Age ${sandbox.path}` });
  await dialog.getByRole("textbox", { name: `Type ${sandbox.path} to confirm` }).fill(sandbox.path ?? "");
  await dialog.getByRole("button", { name: /^Wait, then age/ }).click();
  await expect(page).toHaveURL(/\/runs\/\d+/);
  const [, made] = /\/runs\/(\d+)/.exec(page.url()) ?? [];
  expect((await getRun(Number(made))).is_waiting).toBe(true);
  await expect(page.getByText("No figures yet: this run has not begun.")).toBeVisible();
  await expect(page.getByRole("figure")).toHaveCount(0);
  await page.getByRole("button", { name: "Stop this run" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: `Stop run ${made}` })
    .click();
  await expect(page).toHaveTitle(`Run ${made} canceled · Patina`);
  await expect(page.getByText("No figures: this run ended before its first sample.")).toBeVisible();
  await expect(page.getByRole("figure")).toHaveCount(0);
  expect((await getRun(first.id)).state).toBe("paused");
});

test("a curve says its values under the pointer, zooms by keys, and is saved three ways", async ({
  page,
  aged,
}) => {
  await page.goto(`/runs/${aged.run.id}`);
  const figure = page.getByRole("figure", { name: "Fullness" });
  const plot = figure.getByRole("img");
  await plot.hover();
  await expect(figure.getByText(/^at [\d.]+( [kM])?$/)).toBeVisible();
  await expect(figure.getByRole("listitem").filter({ hasText: "measured" })).toContainText("%");
  await page.mouse.move(0, 0);
  await plot.focus();
  const before = await plot.screenshot();
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowRight");
  expect(Buffer.compare(await plot.screenshot(), before)).not.toBe(0);
  await page.keyboard.press("Home");
  await expectSaved(page, {
    title: "Fullness over operations",
    stem: "fullness-over-operations",
    head: "operations,",
  });
});

test("what steers a run is accessible", async ({ page, held: { run } }) => {
  await page.goto(`/runs/${run.id}`);
  await page.getByRole("button", { name: "Stop conditions…" }).click();
  await expect(page.getByRole("dialog", { name: `Stop conditions of run ${run.id}` })).toBeVisible();
  await look(page, "run-conditions");
});
