import { describe, expect, it } from "vitest";
import type { JobAhead } from "../../../api/client";
import { doesOf, nameOfAhead, ordinal, startOf } from "./words";

const running: JobAhead = {
  id: 4,
  kind: "run",
  state: "running",
  reason: "holds",
  phase: "stable",
  eta_s: 600,
};
const waiting: JobAhead = { id: 5, kind: "run", state: "queued", reason: "waits", phase: null, eta_s: null };

describe("a run in the queue of its device", () => {
  it("has a place in words", () => {
    expect([1, 2, 3, 4, 11, 21].map(ordinal)).toEqual(["1st", "2nd", "3rd", "4th", "11th", "21st"]);
  });
  it("names the jobs ahead, also one that is not seen", () => {
    expect(nameOfAhead(running)).toBe("run 4");
    expect(nameOfAhead({ id: null, kind: "trial" })).toBe("a private trial");
  });
  it("says what each of them does", () => {
    expect(doesOf(running)).toBe("has the device, in the phase stable, about 10 min 0 s left");
    expect(doesOf({ ...running, state: "paused" })).toBe("has the device and is paused");
    expect(doesOf(waiting)).toBe("waits before it");
    expect(doesOf({ ...running, reason: "resumes", state: "interrupted" })).toBe(
      "was interrupted and resumes first",
    );
  });
  it("is expected when the time left of all jobs ahead is over", () => {
    expect(startOf([running])).toBe("in about 10 min 0 s");
    expect(startOf([running, waiting])).toBe(
      "not before 10 min 0 s from now, because the time left of run 5 is not known",
    );
    expect(startOf([{ ...running, state: "paused" }])).toBe("unknown, because run 4 is paused");
    expect(startOf([waiting])).toBe("unknown, because the time left of run 5 is not known");
  });
});
