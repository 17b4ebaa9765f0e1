import { expect, test } from "vitest";
import { remainingOf } from "./remaining";

const plan = { horizon_ops_count: 10_000, rapid_ops_count: 100 };

/** Five samples in two seconds, `pace(sample)` operations a second before each. */
function seriesOf(count: number, pace: (sample: number) => number) {
  const series = { ops_count: [100], elapsed_s: [0] };
  for (let sample = 1; sample < count; sample += 1) {
    series.ops_count.push((series.ops_count.at(-1) ?? 0) + pace(sample) * 0.4);
    series.elapsed_s.push(sample * 0.4);
  }
  return series;
}

test("an even pace leaves no doubt", () => {
  const left = remainingOf(
    seriesOf(101, () => 50),
    plan,
  );
  expect(left?.low_s).toBeCloseTo((9_900 - 2_000) / 50);
  expect(left?.high_s).toBeCloseTo(left?.low_s ?? 0);
});

test("a pace that comes and goes is the range, and single outliers are not", () => {
  // Stretches of six samples: two of eight at half the pace, one that hardly moves.
  const pace = (sample: number) => (sample > 94 ? 1 : sample > 82 ? 25 : 50);
  const left = remainingOf(seriesOf(101, pace), plan);
  expect(left).not.toBeNull();
  expect((left?.high_s ?? 0) / (left?.low_s ?? 1)).toBeGreaterThan(1.2);
  expect((left?.high_s ?? 0) / (left?.low_s ?? 1)).toBeLessThanOrEqual(2);
});

test("what was long ago does not count", () => {
  const left = remainingOf(
    seriesOf(101, (sample) => (sample < 40 ? 500 : 20)),
    plan,
  );
  expect(left?.high_s).toBeCloseTo(left?.low_s ?? 0);
});

test("too few samples, or none of stable aging, say nothing", () => {
  expect(
    remainingOf(
      seriesOf(32, () => 50),
      plan,
    ),
  ).toBeNull();
  expect(
    remainingOf(
      seriesOf(33, () => 50),
      plan,
    ),
  ).not.toBeNull();
  expect(
    remainingOf(
      seriesOf(101, () => 50),
      { ...plan, rapid_ops_count: 9_000 },
    ),
  ).toBeNull();
  expect(remainingOf({ ops_count: [], elapsed_s: [] }, plan)).toBeNull();
});

test("a run that stands still has no end in sight", () => {
  expect(
    remainingOf(
      seriesOf(101, (sample) => (sample < 60 ? 50 : 0)),
      plan,
    ),
  ).toBeNull();
});
