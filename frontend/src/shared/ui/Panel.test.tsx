// The three states of a panel.
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Refusal } from "../../api/client";
import { Panel } from "./Panel";

const ask = vi.fn<() => Promise<string>>();

function Subject() {
  const query = useQuery({ queryKey: ["subject"], queryFn: ask });
  return (
    <Panel query={query} skeleton={<p>shape of what comes</p>}>
      {(data) => <p>{data}</p>}
    </Panel>
  );
}

function show() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MantineProvider>
      <QueryClientProvider client={queries}>
        <Subject />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return queries;
}

afterEach(() => {
  cleanup();
  ask.mockReset();
});

test("until the answer comes there is its skeleton, said to screen readers as loading", async () => {
  ask.mockReturnValue(new Promise(() => undefined));
  show();
  expect((await screen.findByRole("status", { name: "Loading" })).textContent).toBe("shape of what comes");
});

test("a refusal is shown in sentences, and a retry shows the content", async () => {
  ask
    .mockRejectedValueOnce(new Refusal("job_unknown", 404, "Job unknown", "There is no run 9."))
    .mockResolvedValueOnce("content");
  show();
  expect((await screen.findByRole("alert")).textContent).toContain("There is no run 9.");
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("content")).toBeTruthy();
});

test("when a refresh fails the old content stays below the error", async () => {
  ask
    .mockResolvedValueOnce("content")
    .mockRejectedValueOnce(new Refusal("unreachable", 0, "No answer", "no answer"));
  const queries = show();
  await screen.findByText("content");
  await queries.refetchQueries();
  expect(await screen.findByRole("alert")).toBeTruthy();
  expect(screen.getByText("content")).toBeTruthy();
});
