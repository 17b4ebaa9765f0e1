import { expect, test } from "vitest";
import type { AgeSummary } from "../../../api/client";
import type { Layout } from "../live/facts";
import { freeExtentsOf } from "./freeExtents";

const layout = (ops_count: number, extents_count: number) =>
  ({ ops_count, elapsed_s: ops_count / 10, free_extents: { extents_count } }) as Layout;
const layouts = [layout(10, 3), layout(20, 4), layout(30, 9)];

test("free extents are drawn over operations or time", () => {
  expect(freeExtentsOf({ layouts, summary: null }, "operations")).toEqual({ x: [10, 20, 30], y: [3, 4, 9] });
  expect(freeExtentsOf({ layouts, summary: null }, "time")).toEqual({ x: [1, 2, 3], y: [3, 4, 9] });
});

test("the summary has the last of them", () => {
  const summary = { ops_count: 30, elapsed_s: 3, free_extents: { extents_count: 8 } } as AgeSummary;
  expect(freeExtentsOf({ layouts, summary }, "operations")).toEqual({ x: [10, 20, 30], y: [3, 4, 8] });
});
