import { describe, expect, it } from "vitest";
import type { Study, StudyCell } from "../../api/client";
import { barFiguresOf, lineFiguresOf, mapFiguresOf } from "./figures";
import { columnsOf, ordered, orderAfter, tableCsv } from "./table";

const cell = (changes: Partial<StudyCell>): StudyCell => ({
  interface: "caveat",
  policy: "best",
  did_blocks: 16,
  fullness: null,
  results_count: 2,
  full_count: null,
  figures: {},
  published: null,
  ...changes,
});

const study = (settings: Study["settings"], cells: readonly StudyCell[]): Study =>
  ({ id: 7, settings, cells }) as unknown as Study;

const capacity = study({ kind: "capacity", policies: ["best", "worst"], did_blocks: [16, 512] }, [
  cell({
    figures: {
      unusable_fraction: { mean: 0.75, half_width: 0.25 },
      over_allocation_fraction: { mean: 0.04, half_width: null },
    },
    published: {
      total_blocks: 272_642,
      unusable_blocks: 8287,
      over_allocation_fraction: 0.04,
      unusable_fraction: 0.0304,
    },
  }),
  cell({ policy: "worst" }),
  cell({ did_blocks: 512, figures: { unusable_fraction: { mean: 0.1, half_width: null } } }),
]);

const cleaning = (did_blocks: number[]) =>
  study(
    { kind: "cleaning", policies: ["best"], cleaners: ["greedy"], did_blocks, fullnesses: [0.5, 0.9] },
    did_blocks.flatMap((did) =>
      [0.9, 0.5].flatMap((fullness) => [
        cell({
          did_blocks: did,
          fullness,
          full_count: 1,
          figures: {
            moved_ratio: { mean: 0, half_width: 0 },
            written_ratio: { mean: 10 * fullness, half_width: 1 },
          },
        }),
        cell({
          interface: "strict-append",
          policy: "greedy",
          did_blocks: did,
          fullness,
          full_count: 0,
          figures: {
            moved_ratio: { mean: fullness, half_width: null },
            written_ratio: { mean: 10, half_width: 0 },
          },
        }),
      ]),
    ),
  );

describe("figures of capacity", () => {
  it("are bars by DID, with the published value beside ours", () => {
    const [unusable] = barFiguresOf(capacity);
    expect(unusable?.groups.map(({ label, bars }) => [label, bars.map((bar) => bar.label)])).toEqual([
      ["DID 16", ["best fit", "best fit, published"]],
      ["DID 512", ["best fit"]],
    ]);
    expect(unusable?.groups[0]?.bars[0]).toMatchObject({ mean: 0.75, low: 0.5, high: 1, isBase: false });
    expect(unusable?.groups[0]?.bars[1]).toMatchObject({ mean: 0.0304, low: null, isBase: true });
  });
  it("leave out what has no result, and are none without any", () => {
    expect(barFiguresOf(capacity)[1]?.groups.map(({ label }) => label)).toEqual(["DID 16"]);
    expect(barFiguresOf({ ...capacity, cells: [cell({})] })).toEqual([]);
    expect(barFiguresOf(cleaning([16]))).toEqual([]);
  });
});

describe("figures of cleaning", () => {
  it("are lines of cleaners that move, and of policies that write, by fullness", () => {
    const [moved, written] = lineFiguresOf(cleaning([16]));
    expect(moved?.lines.map(({ label }) => label)).toEqual(["greedy"]);
    expect(written?.lines.map(({ label }) => label)).toEqual(["best fit"]);
    expect(written?.lines[0]?.points).toEqual([
      { at: 50, mean: 5, low: 4, high: 6 },
      { at: 90, mean: 9, low: 8, high: 10 },
    ]);
  });
  it("are one for each of two DIDs, and maps of more", () => {
    expect(lineFiguresOf(cleaning([16, 32])).map(({ title }) => title)).toEqual([
      "Moved over written, DID 16",
      "Moved over written, DID 32",
      "Written until no place is left, DID 16",
      "Written until no place is left, DID 32",
    ]);
    expect(lineFiguresOf(cleaning([16, 32, 64]))).toEqual([]);
    expect(mapFiguresOf(cleaning([16, 32]))).toEqual([]);
    const maps = mapFiguresOf(cleaning([64, 16, 32]));
    expect(maps.map(({ title }) => title)).toEqual([
      "Moved over written, greedy",
      "Written until no place is left, best fit",
    ]);
    expect(maps[1]).toMatchObject({
      dids: [16, 32, 64],
      fullnesses: [0.9, 0.5],
      values: [
        [9, 9, 9],
        [5, 5, 5],
      ],
    });
  });
});

describe("the table", () => {
  it("has the published values where there are any", () => {
    expect(columnsOf(capacity).map(({ title }) => title)).toContain("Published: total");
    const without = { ...capacity, cells: [cell({})] };
    expect(columnsOf(without).map(({ title }) => title)).not.toContain("Published: total");
  });
  it("is ordered by a column, with what has no value last", () => {
    const rows = (isDescending: boolean) =>
      ordered(capacity, { title: "Unusable", isDescending }).map(
        ({ policy, did_blocks }) => `${policy} ${did_blocks}`,
      );
    expect(rows(false)).toEqual(["best 512", "best 16", "worst 16"]);
    expect(rows(true)).toEqual(["best 16", "best 512", "worst 16"]);
    expect(ordered(capacity, null)).toBe(capacity.cells);
  });
  it("is ordered up, down and not at all", () => {
    const up = orderAfter(null, "DID");
    expect(up).toEqual({ title: "DID", isDescending: false });
    const down = orderAfter(up, "DID");
    expect(down).toEqual({ title: "DID", isDescending: true });
    expect(orderAfter(down, "DID")).toBeNull();
    expect(orderAfter(down, "Policy")).toEqual({ title: "Policy", isDescending: false });
  });
  it("is saved with every digit", () => {
    const [head, first] = tableCsv(cleaning([16]), null).split("\n");
    expect(head).toBe(
      "interface,policy,did_blocks,fullness,results_count,moved_ratio,moved_ratio_half_width,written_ratio,written_ratio_half_width,cleanings_count,cleanings_count_half_width,full_count",
    );
    expect(first).toBe("caveat,best,16,0.9,2,0,0,9,1,,,1");
  });
});
