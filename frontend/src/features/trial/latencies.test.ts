import { expect, it } from "vitest";
import type { Trial } from "../../api/client";
import type { MeasuredRepetition } from "./queries";
import { decadesOf, latenciesOf, operationsOf } from "./latencies";

const trial = {
  settings: {
    arms: [
      { group: "ext4", state: "unaged", is_base: true, has_journal: true },
      { group: "ext4", state: "Agrawal 70 %", is_base: false, has_journal: true },
    ],
    workloads: [{ kind: "personality", name: "varmail", seconds: 1, warm_up_s: 0 }],
  },
} as unknown as Trial;

function row(arm: number, histogram: [number, number][]): MeasuredRepetition {
  const operation = { name: "fsync", is_counted: true, count: 1, histogram };
  return { arm, workload: 0, measurement: { operations: [operation] } } as unknown as MeasuredRepetition;
}

const rows = [
  row(0, [[10, 90]]),
  row(0, [
    [10, 9],
    [1000, 1],
  ]),
  row(1, [[100, 1]]),
];

it("sums the repetitions of each image", () => {
  const [operation] = operationsOf(trial, rows);
  expect(operation?.label).toBe("varmail: fsync");
  if (operation === undefined) return;
  const [unaged, aged] = latenciesOf(trial, rows, operation);
  expect(unaged?.count).toBe(100);
  expect(unaged?.points).toEqual([
    { us: 10, share: 0.99 },
    { us: 1000, share: 1 },
  ]);
  expect(unaged?.quantiles.map(({ us }) => us)).toEqual([10, 10, 10, 1000]);
  expect(aged?.max_us).toBe(100);
  expect(decadesOf([unaged, aged].flatMap((line) => line ?? []))).toEqual([1, 3]);
});

it("has no operations and one decade without measurements", () => {
  expect(operationsOf(trial, [])).toEqual([]);
  expect(decadesOf([])).toEqual([0, 1]);
});
