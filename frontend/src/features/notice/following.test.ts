// @vitest-environment jsdom
import { beforeEach, expect, test } from "vitest";
import type { Notice } from "../../api/client";
import { follow, followedRuns, take, unfollow } from "./following";

function notice(id: number, kind: Notice["kind"] = "succeeded", job_id = 7): Notice {
  return { id, job_id, kind, message: "", at: "2026-11-22T00:00:00Z" };
}

beforeEach(() => localStorage.clear());

test("an end is news once, and only of a run that is followed", () => {
  expect(take(notice(3))).toBe(false);
  follow(7, 0);
  expect(take(notice(3))).toBe(true);
  expect(take(notice(3))).toBe(false);
  expect(followedRuns()).toEqual({});
});

test("what was known when it was asked for is no news, what comes after is, and the run stays followed", () => {
  follow(7, 3);
  expect(take(notice(3, "needs_you"))).toBe(false);
  expect(take(notice(4, "needs_you"))).toBe(true);
  expect(take(notice(4, "needs_you"))).toBe(false);
  expect(take(notice(9))).toBe(true);
});

test("what another tab took is no news here", () => {
  follow(7, 0);
  localStorage.setItem("patina.followed_runs", "{}");
  expect(take(notice(3))).toBe(false);
});

test("what cannot be read is nothing", () => {
  for (const text of ["", "x", "[1]", "null", '{"a":1}', '{"7":"x"}']) {
    localStorage.setItem("patina.followed_runs", text);
    expect(take(notice(3))).toBe(false);
  }
});

test("the newest hundred are kept", () => {
  for (let run = 1; run <= 120; run++) follow(run, 0);
  expect(Object.keys(followedRuns())).toHaveLength(100);
  expect(followedRuns()["120"]).toBe(0);
  unfollow(120);
  expect(followedRuns()["120"]).toBeUndefined();
});
