import { expect, test } from "vitest";
import type { Run } from "../../../api/client";
import type { FeedSnapshot } from "../live/feed";
import { emptyJournal } from "../live/journal";
import { comparedOf, farOf, hostsOf, levelsOf, type Compared, type Known } from "./compared";
import { figureGroups, type ImageFacts } from "./figures";
import { budgetMark, floorMark, markOf } from "./marks";

const feed: FeedSnapshot = { journal: emptyJournal, connection: "live", error: null };

function compared(id: number, change: Partial<Run>): Compared {
  const run = {
    id,
    profile: { title: "Agrawal 2007" },
    profile_version_number: 1,
    fullness: 0.7,
    file_system: "ext4",
    device: { path: "/dev/loop3", stable_id: "sandbox-3", size_bytes: 2 ** 30, host: { name: "local" } },
    seed: 7,
    mode: "faithful",
    data_mode: "fallocate",
    max_rmse: null,
    max_overwrites: null,
    max_seconds: null,
    state: "queued",
    phase: null,
    plan: null,
    summary: null,
    prediction: null,
    ...change,
  } as Run;
  return comparedOf(run, feed, id - 1, `run ${id}`, new WeakMap());
}

const runs = [compared(1, {}), compared(2, { seed: 8, max_rmse: 0.02, max_seconds: 90 })];
const images = new Map<number, ImageFacts>([[2, { id: 20, name: "agrawal-70", layout_score: 0.98 }]]);
const rows = figureGroups(runs, images).flatMap((group) => group.rows);
const wordsOf = (label: string) => rows.find((row) => row.label === label)?.cells.map(({ text }) => text);

test("what was asked for stands side by side, and only what differs is marked", () => {
  expect(rows.filter(({ differs }) => differs).map(({ label }) => label)).toEqual([
    "Seed",
    "Stops",
    "Layout score",
    "Image",
  ]);
  expect(wordsOf("Seed")).toEqual(["7", "8"]);
  expect(wordsOf("Stops")).toEqual(["when converged", "age RMSE 2 %, 1 min 30 s"]);
});

test("a run that has not ended says how far it is", () => {
  const [first] = runs;
  if (first === undefined) throw new Error("there are two runs");
  const aging = (change: Partial<Compared["telemetry"]>) =>
    farOf({ ...first, telemetry: { ...first.telemetry, state: "running", phase: "stable", ...change } });
  const workload = { horizon_ops_count: 200 } as Compared["telemetry"]["workload"];
  const sample = { ops_count: 50, eta_s: 90 } as Compared["telemetry"]["sample"];
  expect(farOf(first)).toEqual({ share: null, text: "waits for its turn" });
  expect(aging({ phase: null })).toEqual({ share: null, text: "starting" });
  expect(aging({ workload, sample })).toEqual({
    share: 0.25,
    text: "stable 25 %, about 1\u00a0min 30\u00a0s left",
  });
  expect(aging({ state: "succeeded" })).toBeNull();
});

test("what is not measured yet is not zero", () => {
  expect(wordsOf("Operations")).toEqual(["–", "–"]);
  expect(wordsOf("RMSE of ages")).toEqual(["–", "–"]);
  expect(wordsOf("Layout score")).toEqual(["–", "0.980"]);
});

test("no two of six runs are drawn alike, and not by ink alone", () => {
  const dashes = [0, 1, 2, 3, 4, 5].map((place) => markOf(place).dash?.join() ?? "solid");
  expect(new Set(dashes).size).toBe(6);
});

test("a floor that all share is drawn once; floors that differ are each named", () => {
  const curves = [{ x: [0, 10], y: [1, 2] }];
  const floors = (values: readonly (number | null)[]) =>
    levelsOf(
      "floor",
      floorMark,
      values.map((value, index) => ({ label: `run ${index + 1}`, value })),
      curves,
    );
  expect(floors([0.01, null, 0.01]).lines.map(({ label }) => label)).toEqual(["floor"]);
  expect(floors([0.01, 0.02]).lines.map(({ label }) => label)).toEqual(["floor, run 1", "floor, run 2"]);
  expect(floors([0.01, 0.02]).curves[1]).toEqual({ x: [0, 10], y: [0.02, 0.02] });
  expect(floors([null]).lines).toEqual([]);
});

test("what a run was is computed once, and again when its events move", () => {
  const known: Known = new WeakMap();
  const { run } = runs[0] as Compared;
  const first = comparedOf(run, feed, 0, "ext4", known);
  expect(comparedOf(run, feed, 0, "ext4", known).telemetry).toBe(first.telemetry);
  const moved = { ...feed, journal: { ...emptyJournal, last_sequence: 1 } };
  expect(comparedOf(run, moved, 0, "ext4", known).telemetry).not.toBe(first.telemetry);
});

test("a host is named once, with those of its runs that have not ended", () => {
  const on = (host_id: number) =>
    ({ device: { host: { id: host_id, name: `lab-${host_id}` } } }) as Partial<Run>;
  const under = [
    compared(1, on(1)),
    compared(2, on(2)),
    compared(3, { ...on(2), state: "interrupted" }),
    compared(4, { ...on(2), state: "failed" }),
  ];
  expect(hostsOf(under).map(({ host, run_ids }) => [host.name, run_ids])).toEqual([
    ["lab-1", [1]],
    ["lab-2", [2, 3]],
  ]);
});

test("budgets are drawn where runs have one, and named by their runs where they differ", () => {
  const budgets = (values: readonly (number | null)[]) =>
    levelsOf(
      "budget",
      budgetMark,
      values.map((value, index) => ({ label: `run ${index + 1}`, value })),
      [{ x: [0, 10], y: [1, 2] }],
    ).lines.map(({ label }) => label);
  expect(budgets([null, null])).toEqual([]);
  expect(budgets([null, 0.02])).toEqual(["budget"]);
  expect(budgets([0.01, 0.02])).toEqual(["budget, run 1", "budget, run 2"]);
});

test("a predicted time has a row where a compared run has one, and is marked as predicted", () => {
  const prediction = {
    model_label: "Hitachi 80 GB",
    time: "fast",
    elapsed_s: 41,
    predicted_s: 4320,
    is_whole: true,
  } as const;
  const labelled = (of: readonly Compared[]) =>
    figureGroups(of, new Map())
      .flatMap((group) => group.rows)
      .find(({ label }) => label.startsWith("Predicted"));
  expect(labelled(runs)).toBeUndefined();
  expect(labelled([compared(1, {}), compared(2, { prediction })])).toEqual({
    label: "Predicted aging time",
    cells: [{ text: "–" }, { text: "1 h 12 min on Hitachi 80 GB", exact: "predicted 4,320 s" }],
    differs: true,
  });
});
