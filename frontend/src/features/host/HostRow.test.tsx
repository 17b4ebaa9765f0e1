// The removal of a host says whether the host has to join again.
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { host } from "./exampleHost";
import { HostRow } from "./HostRow";
import { storesQuery } from "./queries";

afterEach(cleanup);

test.each([
  { has_own_access: true, said: /it must join again, with a new token/ },
  { has_own_access: false, said: /If its worker starts again, the host and its devices return/ },
])("own access $has_own_access: the removal says how the host returns", async ({ has_own_access, said }) => {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  queries.setQueryData(storesQuery.queryKey, []);
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <HostRow host={{ ...host, is_healthy: false, has_own_access }} devices="1" />
      </QueryClientProvider>
    </MantineProvider>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Remove lab-2" }));
  expect(await screen.findByText(said)).toBeTruthy();
});
