// Providers of every page: theme, queries, router.
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Refusal } from "../api/client";
import { meQuery } from "../shared/me";
import { nonce } from "./nonce";
import { router } from "./router";
import { cssVariables, theme } from "./theme";

/** The session may have ended elsewhere: the page then shows the form that signs in. */
function askWhoIAm(error: Error) {
  if (error instanceof Refusal && error.status === 401 && error.code !== "sign_in_refused")
    void queries.invalidateQueries({ queryKey: meQuery.queryKey });
}

/** Requests are sent even if the browser reports that it is offline: the server may run on the same machine. A request that
 * cannot be sent fails at once and is not sent later. */
const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askWhoIAm }),
  mutationCache: new MutationCache({ onError: askWhoIAm }),
  defaultOptions: {
    queries: {
      networkMode: "always",
      refetchOnReconnect: true,
      // A refusal is an answer; only a missing answer is worth a retry.
      retry: (failures, error) => failures < 3 && error instanceof Refusal && error.code === "unreachable",
      retryDelay: 1_000,
    },
    mutations: { networkMode: "always" },
  },
});
const schemes = localStorageColorSchemeManager({ key: "patina.color_scheme" });

export function Providers() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
      getStyleNonce={nonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
