// The notice on a run's host: absent while the host is healthy, with the time of the last heartbeat once it is silent.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { Host } from "../../api/client";
import { host } from "./exampleHost";
import { LostHost, LostHostMark } from "./LostHost";
import { hostsQuery } from "./queries";

/** `listed` is the current list of hosts. */
function show(listed: readonly Host[], read: Host = host, run_ids: readonly number[] = [7]) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  queries.setQueryData(hostsQuery.queryKey, [...listed]);
  render(
    <QueryClientProvider client={queries}>
      <LostHost host={read} run_ids={run_ids} />
      <LostHostMark host={read} />
    </QueryClientProvider>,
  );
}

afterEach(cleanup);

test("a healthy host has no notice", () => {
  show([host]);
  expect(screen.queryByRole("status")).toBeNull();
});

test("the list of hosts is newer than the run: a loss shows, and a return takes it away", () => {
  show([{ ...host, is_healthy: false }]);
  expect(screen.getByRole("status").textContent).toContain("No heartbeat from host lab-2 since");
  expect(screen.getByText(/^host lab-2 silent since/)).toBeTruthy();
  cleanup();
  show([host], { ...host, is_healthy: false });
  expect(screen.queryByRole("status")).toBeNull();
  expect(screen.queryByText(/silent/)).toBeNull();
});

test("a host that has left the list is still shown as silent", () => {
  show([], { ...host, is_healthy: false });
  expect(screen.getByRole("status").textContent).toContain(
    "run 7 continues there, or resumes from its checkpoint",
  );
  cleanup();
  show([], { ...host, is_healthy: false }, [7, 8, 11]);
  expect(screen.getByRole("status").textContent).toContain("runs 7, 8 and 11 continue there");
});
