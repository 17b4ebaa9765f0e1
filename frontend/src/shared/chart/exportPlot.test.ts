// @vitest-environment jsdom
import { expect, test } from "vitest";
import { cellsOfMap, cellsOfSpace } from "./grid/blockMap";
import type { Saved } from "./exportPlot";
import { amounts } from "./lines/quantities";
import { savedBlockMap } from "./grid/saveBlockMap";
import { savedHeatMap } from "./grid/saveHeatMap";
import { savedHistogram } from "./histogram/saveHistogram";
import { savedLines, type Drawn } from "./lines/saveLines";

const xs = [0, 10, 20];
const curves: Drawn = {
  title: "RMSE <age>",
  over: "operations",
  lines: [
    { label: "age", ink: "observed", curve: { x: xs, y: [0.5, null, 0.01] } },
    { label: 'the "floor", about', ink: "quiet", dash: [1, 4], curve: { x: xs, y: [0.001, 0.001, 0.001] } },
  ],
  isLogarithmic: true,
  x: amounts,
  quantity: amounts,
  marks: [{ at: 10, label: "paused" }],
};

function parsed(saved: Saved): Document {
  const document = new DOMParser().parseFromString(saved.svg(), "image/svg+xml");
  expect(document.querySelector("parsererror")).toBeNull();
  expect(document.querySelector("title")?.textContent).toBe(saved.title);
  expect(saved.svg()).not.toContain("NaN");
  return document;
}

/** Returns the rectangles without the background. */
const rectsOf = (saved: Saved) => [...parsed(saved).querySelectorAll("rect")].slice(1);

test("CSV holds every number; what is not known is empty, names are quoted where they must be", () => {
  expect(savedLines(curves).csv().split("\n")).toEqual([
    'operations,age,"the ""floor"", about"',
    "0,0.5,0.001",
    "10,,0.001",
    "20,0.01,0.001",
    "",
  ]);
});

test("SVG is well-formed, draws each line over the known points, and escapes names", () => {
  const [age, floor] = [...parsed(savedLines(curves)).querySelectorAll("polyline")];
  expect(age?.getAttribute("points")?.split(" ")).toHaveLength(2);
  expect(floor?.getAttribute("points")?.split(" ")).toHaveLength(3);
  expect(savedLines(curves).svg()).toContain(">paused<");
});

test("without any sample there is still a plot", () => {
  const lines = curves.lines.map((line) => ({ ...line, curve: { x: [], y: [] } }));
  const nothing = savedLines({ ...curves, lines, marks: [], isLogarithmic: false });
  expect(parsed(nothing).querySelectorAll("polyline")).toHaveLength(2);
  expect(nothing.csv().split("\n")).toHaveLength(2);
});

test("a plan that ends at zero does not stretch a logarithmic drawing", () => {
  const planned = {
    label: "plan",
    ink: "target",
    isUnbounded: true,
    curve: { x: xs, y: [0.5, 0.1, 0] },
  } as const;
  const before = parsed(savedLines(curves)).querySelector("polyline")?.getAttribute("points");
  const after = parsed(savedLines({ ...curves, lines: [...curves.lines, planned] }));
  expect(after.querySelector("polyline")?.getAttribute("points")).toBe(before);
});

test("a histogram is kept with its exact fractions, and drawn with its target", () => {
  const bins = [
    { edge: 4096, target_fraction: 0.25, observed_fraction: 1 / 3 },
    { edge: 8192, target_fraction: 0.75, observed_fraction: null },
  ];
  const saved = savedHistogram({ title: "Size", axis: "size", unit: "share of files", bins, ceiling: 0.75 });
  expect(saved.csv().split("\n").slice(0, 3)).toEqual([
    "file_size_bytes,target_fraction,observed_fraction",
    `4096,0.25,${1 / 3}`,
    "8192,0.75,",
  ]);
  expect(rectsOf(saved)).toHaveLength(2);
  expect(saved.svg()).toContain(">target<");
  const plain = bins.map((bin) => ({ ...bin, observed_fraction: null }));
  const wanted = savedHistogram({ title: "Size", axis: "size", unit: "", bins: plain, ceiling: 0.75 });
  expect(wanted.svg()).not.toContain(">observed<");
});

test("a heat map is kept moment by moment, and drawn where there is something", () => {
  const bin = (edge: number, observed_fraction: number) => ({
    edge,
    observed_fraction,
    target_fraction: null,
  });
  const moments = [
    { at: 0, bins: [bin(8, 1)] },
    { at: 10, bins: [bin(4, 0.25), bin(8, 0.75)] },
  ];
  const saved = savedHeatMap({
    title: "Free extents",
    x: "operations",
    moments,
    most_columns: 2,
    formatX: String,
    formatEdge: (edge) => `${edge} B`,
  });
  expect(saved.csv()).toBe("operations,from 4 B,from 8 B\n0,0,1\n10,0.25,0.75\n");
  expect(rectsOf(saved)).toHaveLength(3);
});

test("a block map is saved in blocks, with the uses that it distinguishes", () => {
  const device = {
    device_bytes: 5 * 4096,
    block_size_bytes: 4096,
    cell_bytes: 4 * 4096,
    free_blocks: [1, 1],
  };
  const measured = { type: "space", ops_count: 7, elapsed_s: 1 } as const;
  const space = savedBlockMap("Block map", cellsOfSpace({ ...measured, ...device }), "at 7");
  expect(space.csv()).toBe("from_bytes,in_use_blocks,free_blocks\n0,3,1\n16384,0,1\n");
  expect(rectsOf(space)).toHaveLength(2 + 2);
  const used = { metadata_blocks: [1, 0], data_blocks: [2, 0], unwritten_blocks: [0, 0] };
  const map = savedBlockMap("Block map", cellsOfMap({ ...device, ...used }), "of the image");
  expect(map.csv().split("\n")[0]).toBe(
    "from_bytes,metadata_blocks,data_blocks,unwritten_blocks,free_blocks",
  );
  expect(rectsOf(map)).toHaveLength(3 + 4);
});
