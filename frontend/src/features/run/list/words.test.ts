import { describe, expect, it } from "vitest";
import type { RunItem } from "../../../api/client";
import { budgetOf } from "../words";
import { searchOf } from "./search";
import {
  chosenOf,
  conditionsCount,
  groupsOf,
  outcomeOf,
  predictionOf,
  queryOf,
  sortedBy,
  withChosen,
  withoutConditions,
} from "./words";

describe("a search of the runs in the address", () => {
  it("is read back as it was written", () => {
    const search = {
      q: "mail",
      state: ["failed" as const],
      file_system: ["xfs" as const, "ext4" as const],
      device_id: [3],
      since: "2026-11-01",
      archived: true,
      sort: "size" as const,
      grouped: true,
    };
    expect(searchOf(search)).toEqual(search);
    expect(conditionsCount(search)).toBe(6);
  });
  it("may have a single value in place of a list", () => {
    expect(searchOf({ q: 42, state: "failed", batch_id: 4, tag: 2026 })).toEqual({
      q: "42",
      state: ["failed"],
      batch_id: [4],
      tag: ["2026"],
    });
  });
  it("lacks what is not of a search, and what is usual", () => {
    expect(
      searchOf({
        state: "asleep",
        file_system: ["zfs"],
        device_id: [0, "x"],
        since: "soon",
        until: "2026-99-99",
      }),
    ).toEqual({});
    expect(searchOf({ sort: "created", is_descending: true, archived: "yes", activity: 3 })).toEqual({});
  });
  it("gains and loses the values of a condition", () => {
    const chosen = withChosen({ tag: ["a"] }, "host_id", ["2", "3"]);
    expect(chosen).toEqual({ tag: ["a"], host_id: [2, 3] });
    expect(chosenOf(chosen, "host_id")).toEqual(["2", "3"]);
    expect(withChosen(chosen, "host_id", [])).toEqual({ tag: ["a"] });
    expect(withoutConditions({ ...chosen, sort: "name", is_descending: false })).toEqual({
      sort: "name",
      is_descending: false,
    });
  });
  it("turns the order round at the second choice of a column", () => {
    const byRmse = sortedBy({}, "age_rmse");
    expect(byRmse).toEqual({ sort: "age_rmse", is_descending: false });
    expect(sortedBy(byRmse, "age_rmse")).toEqual({ sort: "age_rmse" });
    expect(sortedBy({}, "created")).toEqual({ is_descending: false });
    expect(sortedBy(byRmse, "created")).toEqual({});
  });
  it("asks for whole days of this time zone", () => {
    const query = queryOf({ since: "2026-11-01", until: "2026-11-01", grouped: true });
    expect(query).not.toHaveProperty("grouped");
    expect(new Date(query.since ?? "")).toEqual(new Date(2026, 10, 1));
    expect(new Date(query.until ?? "")).toEqual(new Date(2026, 10, 2));
  });
});

const run = (id: number, batch_id: number | null) => ({ id, batch_id }) as RunItem;

describe("the rows of the list", () => {
  it("stand in groups, each batch at the place of its first run", () => {
    const runs = [run(6, 2), run(5, null), run(4, 2), run(2, 1), run(3, null)];
    const said = groupsOf(runs, true).map((group) => [group.batch_id, group.runs.map(({ id }) => id)]);
    expect(said).toEqual([
      [2, [6, 4]],
      [null, [5, 3]],
      [1, [2]],
    ]);
    expect(groupsOf(runs, false)).toEqual([{ batch_id: null, runs }]);
  });
  it("say how far a run is, or what it waits for", () => {
    const device = { host: { is_healthy: true } };
    const queued = { state: "queued", is_waiting: true, age_rmse: null, device } as RunItem;
    expect(outcomeOf(queued)).toBe("waits for its device");
    const running = {
      ...queued,
      state: "running",
      is_waiting: false,
      phase: "stable",
      progress_fraction: 0.41,
    };
    expect(outcomeOf({ ...running, eta_s: 90 } as RunItem)).toBe("stable 41 %, about 1 min 30 s left");
    expect(outcomeOf({ ...running, eta_s: null } as RunItem)).toBe("stable 41 %");
  });
  it("say the budget", () => {
    const none = { max_rmse: null, max_overwrites: null, max_seconds: null };
    expect(budgetOf(none)).toBe("when converged");
    expect(budgetOf({ ...none, max_overwrites: 1 })).toBe("1 overwrite");
    expect(budgetOf({ ...none, max_rmse: 0.02, max_seconds: 90 })).toBe("age RMSE 2 %, 1 min 30 s");
  });
});

describe("the predicted time of a run in the list", () => {
  it("is marked as predicted, with the model and the time that was taken", () => {
    expect(
      predictionOf({
        model_label: "Hitachi 80 GB",
        time: "fast",
        elapsed_s: 41,
        predicted_s: 4320,
        is_whole: true,
      }),
    ).toEqual({
      text: "predicted 1\u00a0h\u00a012\u00a0min on Hitachi 80 GB",
      exact: "Aging took 41 s here; predicted 4,320 s, with the waits for the modelled disk",
    });
  });
});
