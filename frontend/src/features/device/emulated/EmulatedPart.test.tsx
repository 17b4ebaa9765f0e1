// What the card of an emulated disk shows while its emulator is no help, and of its faults.
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Device } from "../../../api/client";
import { meQuery } from "../../../shared/me";
import { disk, figures } from "./exampleDisk";
import { EmulatedPart } from "./EmulatedPart";

afterEach(cleanup);

function show(changed: Partial<Device>, role: "viewer" | "member" = "member") {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  queries.setQueryData(meQuery.queryKey, { role } as never);
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <EmulatedPart device={{ ...disk, ...changed }} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return screen.getByRole("region", { name: "Emulated disk" }).textContent;
}

const silent = { ...figures, measured_at: "2026-11-27T09:00:00Z" };

test.each([
  [{ state: "creating", emulated: null }, "Its emulator is being started."],
  [{ emulated: null }, "Its emulator has not reported yet."],
  [{ emulated: silent }, "The emulator has not answered since"],
  [{ state: "failed", emulated: null }, "Remove the device, correct the cause"],
  [{ holds: "ext4", emulated: { ...figures, kept_whole_reason: "It has errors." } }, "It has errors."],
  [
    { emulated: { ...figures, error: "The folder is full.", error_age_s: 7200 } },
    "A request failed 2 h ago The folder is full.",
  ],
] as const)("with %j it says %j", (changed, said) => {
  expect(show(changed)).toContain(said);
});

test("of a lost disk the reason of its state says all", () => {
  expect(show({ state: "lost", emulated: silent })).not.toContain("emulator has not answered");
});

test("the card names a stretched RAID as predictions do", () => {
  const model_label = "4 × Hitachi 1 TB, RAID-5, stretched in 8 pieces";
  const said = show({ emulation: disk.emulation && { ...disk.emulation, model_label } });
  expect(said).toContain("Emulated 4 × Hitachi 1 TB, RAID-5, stretched in 8 pieces, fast time");
});

test("the faults in force are shown, not more than three of them, with a button that ends them", () => {
  const faults = [1, 2, 3, 4, 5].map((delay_ms) => ({ kind: "slow", delay_ms }));
  const said = show({ emulated: { ...figures, faults } });
  expect(said).toContain("Slow: requests take 3 ms longer");
  expect(said).toContain("and 2 more faults");
  expect(screen.getByRole("button", { name: "End all faults of /dev/loop9" })).toBeTruthy();
});

test("a power cut ends by itself", () => {
  show({ emulated: { ...figures, faults: [{ kind: "power_cut" }] } });
  expect(screen.queryByRole("button", { name: /^End all/ })).toBeNull();
});

test("a fault that is being sent is awaited, and a refused one has its reason", () => {
  const fault = { fault: { kind: "read_only" }, asked_at: "", done_at: null, error: null } as const;
  expect(show({ fault })).toContain("Being sent: the fault read-only");
  cleanup();
  const refused = { ...fault, done_at: "2026-11-27T10:00:00Z", error: "The emulator has ended." };
  expect(show({ fault: refused })).toContain("Refused: the fault read-only. The emulator has ended.");
});

test("a viewer is offered no fault", () => {
  show({}, "viewer");
  expect(screen.queryByRole("button")).toBeNull();
});
