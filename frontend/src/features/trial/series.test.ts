import { describe, expect, it } from "vitest";
import type { Trial } from "../../api/client";
import { extentOf, pathThrough, drawingOf } from "../../shared/chart/points/points";
import { savedPoints } from "../../shared/chart/points/savePoints";
import { seriesOf } from "./series";

const estimate = (mean: number) => ({ count: 3, mean, low: mean - 1, high: mean + 1, deviation: 0.4 });

function trialOf(settings: unknown, figures: unknown): Trial {
  return { settings, figures } as Trial;
}

const figure = (arm: number, workload: number, changes: object = {}) => ({
  arm,
  workload,
  estimate: estimate(10 + arm),
  points: [],
  ...changes,
});

describe("the series of a trial", () => {
  const pulls = trialOf(
    {
      arms: [{ group: "ext4", state: "fresh", is_base: true }],
      workloads: [
        { kind: "git", variant: "full" },
        { kind: "git", variant: "unaged" },
      ],
    },
    [
      figure(0, 0, {
        points: [
          { at: 0, estimate: estimate(5), cost: null },
          { at: 100, estimate: estimate(9), cost: estimate(2) },
        ],
      }),
      figure(0, 1, { points: [{ at: 0, estimate: estimate(5), cost: null }] }),
    ],
  );

  it("has a line for each variant, and the time of pulls where there were any", () => {
    const [read, cost] = seriesOf(pulls);
    expect(read?.lines.map(({ label, isBase }) => [label, isBase])).toEqual([
      ["full", false],
      ["unaged", true],
    ]);
    expect(read?.workloads).toEqual([0, 1]);
    expect(cost?.lines.map(({ label, points }) => [label, points.map(({ at }) => at)])).toEqual([
      ["full", [100]],
    ]);
  });

  const arms = [
    { group: "ext4", state: "fsfb 95 %, 50 rounds", series: "fsfb 95 %", position: 50 },
    { group: "ext4", state: "fsfb 95 %, 0 rounds", series: "fsfb 95 %", position: 0 },
    { group: "ext4", state: "unaged", is_base: true },
  ];

  it("orders images by their rounds, and draws the base across", () => {
    const [grep] = seriesOf(
      trialOf({ arms, workloads: [{ kind: "grep" }] }, [figure(0, 0), figure(1, 0), figure(2, 0)]),
    );
    expect(grep?.lines.map(({ label, points }) => [label, points.map(({ at, mean }) => [at, mean])])).toEqual(
      [
        [
          "fsfb 95 %",
          [
            [0, 11],
            [50, 10],
          ],
        ],
        [
          "unaged",
          [
            [0, 12],
            [50, 12],
          ],
        ],
      ],
    );
  });

  it("leaves images without rounds to the bars", () => {
    const mixed = [...arms, { group: "ext4", state: "Agrawal 70 %" }];
    const figures = [figure(0, 0), figure(3, 0)];
    expect(seriesOf(trialOf({ arms: mixed, workloads: [{ kind: "grep" }] }, figures))).toEqual([]);
  });
});

describe("lines through means", () => {
  const line = {
    label: "one",
    isBase: false,
    points: [
      { at: 0, mean: 1, low: null, high: null },
      { at: 10, mean: 3, low: 2, high: 4 },
    ],
  };
  const lines = [line];
  it("spans all points and intervals, from 0", () => {
    const extent = extentOf(lines);
    expect(extent).toMatchObject({ from: 0, to: 10 });
    expect(extent.top).toBeGreaterThanOrEqual(4);
    expect(pathThrough(line, drawingOf({ from: 0, to: 10, top: 4 }, 100, 40))).toBe("M0.0 30.0L100.0 10.0");
  });
  it("are saved as numbers and as a drawing", () => {
    const saved = savedPoints("grep", "rounds", lines, String);
    expect(saved.csv()).toBe("line,rounds,mean,low,high\none,0,1,,\none,10,3,2,4\n");
    expect(saved.svg()).toContain("<svg");
    expect(saved.svg()).not.toContain("NaN");
  });
});
