import { expect, test } from "vitest";
import { timesOf, type Round } from "./rounds";

const rounds = [
  { rounds_count: 0, elapsed_s: 4 },
  { rounds_count: 5, elapsed_s: 9 },
  { rounds_count: 7, elapsed_s: 15 },
] as Round[];

test("the time of a round is the average since the measurement before", () => {
  expect(timesOf(rounds)).toEqual({ x: [5, 7], y: [1, 3] });
});

test("a single measurement has no time of a round", () => {
  expect(timesOf(rounds.slice(0, 1))).toEqual({ x: [], y: [] });
});
