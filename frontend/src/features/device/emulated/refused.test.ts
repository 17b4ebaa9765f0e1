// @vitest-environment jsdom
import { expect, test } from "vitest";
import { Refusal } from "../../../api/client";
import { refusedFields } from "./refused";

test("a refusal is shown at its field", () => {
  const quota = new Refusal("sandbox_quota_exceeded", 409, "No room", "The quota is 64 GiB.");
  expect(refusedFields(quota)).toEqual({ limit: "The quota is 64 GiB." });
  const named = { field: "emulation.seed", message: "must be 0 or more" };
  const invalid = new Refusal("request_invalid", 422, "Invalid", "seed: …", null, [named]);
  expect(refusedFields(invalid)).toEqual({ seed: "must be 0 or more" });
  const fewer = { field: "emulation.raid.disks_count", message: "RAID-5 needs 3 disks or more" };
  const few = new Refusal("request_invalid", 422, "Invalid", "…", null, [fewer]);
  expect(refusedFields(few)).toEqual({ disks_count: "RAID-5 needs 3 disks or more" });
});

test.each([
  [new Error("an error of the page")],
  [new Refusal("host_lost", 409, "This host is silent", "Host a is silent.")],
  [new Refusal("request_invalid", 422, "Invalid", "…", null, [{ field: "medium", message: "unknown" }])],
])("a refusal without a field of the form is shown as a whole: %s", (error) => {
  expect(refusedFields(error)).toBeNull();
});
