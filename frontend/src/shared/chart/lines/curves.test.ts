import { expect, test } from "vitest";
import { endingIn, level, newestOf, smoothed, spanOf, thinned, together, valueAt } from "./curves";

const short = { x: [10, 20], y: [1, 2] };
const long = { x: [0, 10, 15, 30], y: [5, null, 7, 8] };

test("curves with other points share one axis, and each keeps its own", () => {
  expect(together([short, long])).toEqual([
    [0, 10, 15, 20, 30],
    [null, 1, null, 2, null],
    [5, null, 7, null, 8],
  ]);
});

test("curves without a point have a plot all the same", () => {
  expect(together([{ x: [], y: [] }, short])).toEqual([
    [10, 20],
    [null, null],
    [1, 2],
  ]);
  expect(together([])).toEqual([[]]);
});

test("under the pointer is the last measurement, and nothing where a curve is not", () => {
  expect([0, 10, 15, 20, 30].map((x) => valueAt(short, x))).toEqual([null, 1, 1, 2, null]);
  expect([0, 10, 15, 20, 30].map((x) => valueAt(long, x))).toEqual([5, 5, 7, 7, 8]);
  expect([newestOf(short), newestOf({ x: [1], y: [null] })]).toEqual([2, null]);
});

test("a level spans all curves, and is not drawn where there is none", () => {
  expect(level(0.7, [short, long])).toEqual({ x: [0, 30], y: [0.7, 0.7] });
  expect(level(0.7, [{ x: [4], y: [1] }])).toEqual({ x: [4], y: [0.7] });
  expect(level(0.7, [])).toEqual({ x: [], y: [] });
  expect(level(null, [short])).toEqual({ x: [], y: [] });
});

const count = 180_000;
const x = Array.from({ length: count }, (_, row) => row);
const many = { x, y: x.map((row) => (row === 77_777 ? 50 : row === 99_999 ? -50 : row % 7)) };

test("of a long curve few points are drawn, with every peak and both ends", () => {
  const drawn = thinned(many, spanOf([many]), 500);
  expect(drawn.x.length).toBeLessThanOrEqual(1_004);
  expect([drawn.x[0], drawn.x.at(-1)]).toEqual([0, count - 1]);
  expect(Math.max(...drawn.y.map(Number))).toBe(50);
  expect(Math.min(...drawn.y.map(Number))).toBe(-50);
  drawn.x.forEach((place, row) => expect(drawn.y[row]).toBe(many.y[place]));
  expect(drawn.x).toEqual([...drawn.x].sort((a, b) => a - b));
});

test("of a zoomed curve every point is drawn, with one beside the view at each end", () => {
  const drawn = thinned(many, { from: 100, to: 200 }, 500);
  expect(drawn.x).toEqual(Array.from({ length: 103 }, (_, row) => 99 + row));
});

test("points without a value are not drawn, and a curve of one point stays one", () => {
  expect(thinned(long, { from: 0, to: 30 }, 500)).toEqual({ x: [0, 15, 30], y: [5, 7, 8] });
  expect(thinned({ x: [4], y: [1] }, { from: 4, to: 4 }, 500)).toEqual({ x: [4], y: [1] });
  expect(thinned({ x: [], y: [] }, { from: 0, to: 0 }, 500)).toEqual({ x: [], y: [] });
});

test("a curve ends in the last figure that is known", () => {
  expect(endingIn(short, { x: 30, y: 4 })).toEqual({ x: [10, 20, 30], y: [1, 2, 4] });
  expect(endingIn(short, { x: 20, y: 4 })).toEqual({ x: [10, 20], y: [1, 4] });
  expect(endingIn(short, { x: 30, y: null })).toEqual(short);
});

test("a smoothed curve keeps its level and loses its noise, also at its ends", () => {
  const noise = { x: [0, 1, 2, 3, 4], y: [10, 0, 10, 0, 10] };
  const [first, second, ...rest] = smoothed(noise, 3).y;
  expect([first, rest.at(-1)]).toEqual([5, 5]);
  expect(second).toBeCloseTo(20 / 3);
  expect(smoothed({ x: [0, 1, 2], y: [1, null, 3] }, 3).y).toEqual([1, null, 3]);
});
