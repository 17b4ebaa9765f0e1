// Picking a point of the cost-against-accuracy curve.
import { expect, test } from "vitest";
import { budgetAt, nearest, pickedIndex, plotOf } from "./curve";

const curve = [
  { ops_count: 10, overwrites: 1, age_rmse: 0.3 },
  { ops_count: 100, overwrites: 10, age_rmse: 0.1 },
  { ops_count: 1000, overwrites: 100, age_rmse: 0 },
];

test("cost grows to the right by factors, accuracy grows downwards", () => {
  const { points } = plotOf(curve);
  expect(points.map(({ x }) => x)).toMatchObject([expect.closeTo(0), expect.closeTo(0.5), expect.closeTo(1)]);
  expect(points.map(({ y }) => y)).toMatchObject([
    expect.closeTo(0),
    expect.closeTo(2 / 3),
    expect.closeTo(1),
  ]);
});

test("the point nearest to the pointer is picked, and stays picked in the next answer", () => {
  const index = nearest(plotOf(curve), 0.4);
  expect(index).toBe(1);
  expect(pickedIndex(curve, budgetAt(curve, index))).toBe(1);
});

test("the last point is no budget", () => {
  expect(budgetAt(curve, 2)).toBeNull();
  expect(pickedIndex(curve, null)).toBe(2);
  expect(pickedIndex(curve, 1e-9)).toBe(2);
});

test("a curve of one point or none is drawn all the same", () => {
  expect(plotOf(curve.slice(0, 1)).points).toEqual([{ x: 0, y: 0 }]);
  expect(plotOf([]).points).toEqual([]);
  expect(budgetAt([], 0)).toBeNull();
});
