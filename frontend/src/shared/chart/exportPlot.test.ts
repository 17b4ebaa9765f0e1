import { expect, test } from "vitest";
import { csvOf, svgOf } from "./exportPlot";
import type { Columns, LineSpec } from "./LivePlot";

const lines: readonly LineSpec[] = [
  { label: "age", ink: "observed" },
  { label: 'the "floor", about', ink: "quiet", dash: [1, 4] },
];
const columns: Columns = [
  [0, 10, 20],
  [0.5, null, 0.01],
  [0.001, 0.001, 0.001],
];

test("CSV holds every number; what is not known is empty, names are quoted where they must be", () => {
  expect(csvOf("operations", lines, columns).split("\n")).toEqual([
    'operations,age,"the ""floor"", about"',
    "0,0.5,0.001",
    "10,,0.001",
    "20,0.01,0.001",
    "",
  ]);
});

test("SVG is well-formed, draws each line over the known points, and escapes names", () => {
  const svg = svgOf({
    title: "RMSE <age>",
    x: "operations",
    lines,
    columns,
    isLogarithmic: true,
    formatX: String,
    formatY: String,
  });
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  expect(parsed.querySelector("parsererror")).toBeNull();
  const [age, floor] = [...parsed.querySelectorAll("polyline")];
  expect(age?.getAttribute("points")?.split(" ")).toHaveLength(2);
  expect(floor?.getAttribute("points")?.split(" ")).toHaveLength(3);
  expect(parsed.querySelector("title")?.textContent).toBe("RMSE <age>");
});

test("without any sample there is still a plot", () => {
  const nothing: Columns = [[], [], []];
  const svg = svgOf({
    title: "x",
    x: "x",
    lines,
    columns: nothing,
    isLogarithmic: false,
    formatX: String,
    formatY: String,
  });
  expect(svg).not.toContain("NaN");
  expect(csvOf("x", lines, nothing).split("\n")).toHaveLength(2);
});
