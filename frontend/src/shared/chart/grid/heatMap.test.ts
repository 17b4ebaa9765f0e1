import { expect, test } from "vitest";
import { cellsOf, everyMoment, strengthOf, type Moment } from "./heatMap";

const moment = (at: number, ...shares: (readonly [number, number])[]): Moment => ({
  at,
  bins: shares.map(([edge, observed_fraction]) => ({ edge, target_fraction: null, observed_fraction })),
});

test("every edge that was ever seen has its row, in order, empty where there was nothing", () => {
  const cells = cellsOf([moment(0, [8, 1]), moment(10, [4, 0.25], [8, 0.75])], 100);
  expect(cells.edges).toEqual([4, 8]);
  expect(cells.columns.map(({ shares }) => shares)).toEqual([
    [0, 1],
    [0.25, 0.75],
  ]);
});

test("of more moments than columns the later one of each stays, and the last is always shown", () => {
  const moments = Array.from({ length: 1000 }, (_, place) => moment(place, [4, place / 1000]));
  const { columns } = cellsOf(moments, 100);
  expect(columns).toHaveLength(100);
  expect(columns.at(-1)?.at).toBe(999);
  expect(columns.every(({ at }, place) => place === 0 || at > (columns[place - 1]?.at ?? 0))).toBe(true); // oxfmt-ignore
});

test("where nothing was measured for a while, the last measurement stands", () => {
  const { columns } = cellsOf([moment(0, [4, 1]), moment(1, [4, 0.5]), moment(100, [4, 0])], 3);
  expect(columns.map(({ shares }) => shares[0])).toEqual([0.5, 0.5, 0]);
});

test("without a measurement there is no column", () => {
  expect(cellsOf([], 10)).toEqual({ edges: [], columns: [] });
});

test("every moment has its column where nothing needs to fit", () => {
  const { edges, columns } = everyMoment([moment(0, [8, 1]), moment(1, [4, 1]), moment(100, [8, 0.5])]);
  expect(edges).toEqual([4, 8]);
  expect(columns.map(({ shares }) => shares)).toEqual([
    [0, 1],
    [1, 0],
    [0, 0.5],
  ]);
});

test("what is there at all can be seen, and nothing is not", () => {
  expect([strengthOf(0), strengthOf(1)]).toEqual([0, 1]);
  expect(strengthOf(0.0001)).toBeGreaterThan(0.08);
});
