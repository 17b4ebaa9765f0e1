// The geometry of a histogram.
import { expect, test } from "vitest";
import { barsOf, ceilingOf, EXTENT, freeSpaceBins, summaryOf, targetPath, type Bin } from "./histogram";

const even = (bins: readonly Bin[]) => ({
  cells: bins.map((_, index) => ({ left: index / bins.length, width: 1 / bins.length })),
  ticks: [],
});
const bins: Bin[] = [
  { edge: 512, target_fraction: 0.2, observed_fraction: 0.1 },
  { edge: 4096, target_fraction: 0.8, observed_fraction: 0.4 },
];

test("the highest of target and observed touches the top", () => {
  expect(ceilingOf(bins)).toBe(0.8);
  expect(barsOf(bins, even(bins), 0.4)[1]).toMatchObject({ y: 0, height: EXTENT });
});

test("bars stand on the ground, equally wide, and never leave the drawing", () => {
  const three = [...bins, { edge: 9, target_fraction: 0, observed_fraction: 7 }];
  for (const bar of barsOf(three, even(three), 0.8)) {
    expect(bar.y + bar.height).toBeCloseTo(EXTENT);
    expect(bar.y).toBeGreaterThanOrEqual(0);
    expect(bar.x).toBeGreaterThan(0);
    expect(bar.x + bar.width).toBeLessThan(EXTENT);
  }
});

test("a histogram of nothing has no height and no division by zero", () => {
  expect(ceilingOf([])).toBe(1);
  expect(barsOf([], even([]), 1)).toEqual([]);
  expect(targetPath([], even([]), 1)).toBe("");
  const unknown = [{ edge: 1, target_fraction: null, observed_fraction: null }];
  expect(barsOf(unknown, even(unknown), 1)[0]?.height).toBe(0);
});

test("the target is one step line over all bins", () => {
  expect(targetPath(bins, even(bins), 0.8)).toBe("M0 75H50V0H100");
});

test("the target line breaks where a bin has no target", () => {
  const broken = [bins[0], { edge: 1, target_fraction: null, observed_fraction: 0.1 }, bins[1]] as Bin[];
  expect(targetPath(broken, even(broken), 0.8)).toBe("M0 75H33.333M66.667 0H100");
});

test("bars are as wide as their bins, and the target breaks where the axis has no bin", () => {
  const cells = [
    { left: 0, width: 0.25 },
    { left: 0.75, width: 0.25 },
  ];
  expect(barsOf(bins, { cells, ticks: [] }, 0.8).map(({ x }) => x)).toEqual([2, 77]);
  expect(targetPath(bins, { cells, ticks: [] }, 0.8)).toBe("M0 75H25M75 0H100");
});

test("the summary names the highest target and the highest observed bin", () => {
  expect(summaryOf("size", bins)).toBe(
    "2 bins, target highest 80 % at 4 KiB, observed highest 40 % at 4 KiB.",
  );
});

test("free space is shared out by extent size", () => {
  const free = {
    block_size_bytes: 4096,
    free_blocks_count: 40,
    extents_count: 6,
    mean_extent_bytes: 27_307,
    max_extent_bytes: 65_536,
    bins: [
      { min_blocks: 1, extents_count: 4, blocks_count: 4 },
      { min_blocks: 16, extents_count: 2, blocks_count: 36 },
    ],
  };
  expect(freeSpaceBins(free)).toEqual([
    { edge: 4096, target_fraction: null, observed_fraction: 0.1 },
    { edge: 65_536, target_fraction: null, observed_fraction: 0.9 },
  ]);
});
