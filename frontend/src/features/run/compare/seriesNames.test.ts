import { describe, expect, it } from "vitest";
import type { Run } from "../../../api/client";
import { seriesNames } from "./seriesNames";

function run(id: number, change: object = {}): Run {
  return {
    id,
    name: "",
    profile: { title: "Agrawal 2007" },
    profile_version_number: 1,
    workload: null,
    fullness: 0.7,
    file_system: "ext4",
    device: { size_bytes: 2 ** 30, host: { name: "local" } },
    seed: 7,
    mode: "faithful",
    data_mode: "fallocate",
    in_memory: false,
    max_rmse: null,
    max_overwrites: null,
    max_seconds: null,
    ...change,
  } as unknown as Run;
}

describe("the names of compared runs", () => {
  it("are what differs", () => {
    const of = ["ext4", "btrfs", "xfs"].map((file_system, place) => run(4 + place, { file_system }));
    expect(seriesNames(of)).toEqual(["ext4", "btrfs", "xfs"]);
    expect(seriesNames([run(1), run(2, { seed: 8 })])).toEqual(["seed 7", "seed 8"]);
    expect(seriesNames([run(1), run(2, { fullness: 0.5 })])).toEqual(["70 %", "50 %"]);
    expect(seriesNames([run(1), run(2, { max_rmse: 0.02 })])).toEqual(["when converged", "age RMSE 2 %"]);
  });
  it("are one difference where one is enough, the most telling", () => {
    const two = [run(1), run(2, { file_system: "xfs", seed: 9, name: "other" })];
    expect(seriesNames(two)).toEqual(["ext4", "xfs"]);
  });
  it("join differences where one is not enough", () => {
    const four = ["ext4", "xfs"].flatMap((file_system, place) => [
      run(2 * place, { file_system }),
      run(2 * place + 1, { file_system, seed: 8 }),
    ]);
    expect(seriesNames(four)).toEqual(["ext4, seed 7", "ext4, seed 8", "xfs, seed 7", "xfs, seed 8"]);
  });
  it("fall back to the name of a run, then to its number", () => {
    expect(seriesNames([run(4, { name: "before" }), run(5, { name: "after" })])).toEqual(["before", "after"]);
    expect(seriesNames([run(4), run(5, { name: "after" })])).toEqual(["run 4", "after"]);
    expect(seriesNames([run(4, { name: "same" }), run(5, { name: "same" })])).toEqual(["run 4", "run 5"]);
    const mixed = [run(4), run(5), run(6, { file_system: "xfs" })];
    expect(seriesNames(mixed)).toEqual(["ext4, run 4", "ext4, run 5", "xfs"]);
  });
  it("of a single run is its name or its number", () => {
    expect(seriesNames([run(4)])).toEqual(["run 4"]);
    expect(seriesNames([run(4, { name: "before" })])).toEqual(["before"]);
  });
});
