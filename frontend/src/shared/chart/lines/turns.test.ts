import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { inTurn } from "./turns";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("plots are drawn in their order, each in a task of its own", () => {
  const drawn: string[] = [];
  for (const name of ["pace", "fullness", "lag"]) inTurn(() => drawn.push(name));
  expect(drawn).toEqual([]);
  vi.advanceTimersToNextTimer();
  expect(drawn).toEqual(["pace"]);
  vi.advanceTimersToNextTimer();
  expect(drawn).toEqual(["pace", "fullness"]);
  vi.runAllTimers();
  expect(drawn).toEqual(["pace", "fullness", "lag"]);
});

test("a canceled plot is not drawn, and holds up none that comes after it", () => {
  const drawn: string[] = [];
  const cancel = inTurn(() => drawn.push("left"));
  cancel();
  inTurn(() => drawn.push("next"));
  vi.runAllTimers();
  expect(drawn).toEqual(["next"]);
});

test("a plot that fails does not keep the others from being drawn", () => {
  const drawn: string[] = [];
  inTurn(() => {
    throw new Error("no canvas");
  });
  inTurn(() => drawn.push("next"));
  expect(() => vi.advanceTimersToNextTimer()).toThrow("no canvas");
  vi.runAllTimers();
  expect(drawn).toEqual(["next"]);
});
