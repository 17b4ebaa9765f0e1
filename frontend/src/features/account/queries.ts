// Queries on the account of this browser, and on the accounts of the server.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import {
  client,
  finished,
  read,
  type Account,
  type AuditFilter,
  type OpenidFinish,
  type Role,
  type Team,
} from "../../api/client";

export const credentialsQuery = queryOptions({
  queryKey: ["credentials"],
  queryFn: async () => (await read(client.GET("/api/v1/credentials"))).items,
});

export const accountsQuery = queryOptions({
  queryKey: ["accounts"],
  queryFn: async () => (await read(client.GET("/api/v1/accounts"))).items,
});

export const linksQuery = queryOptions({
  queryKey: ["links"],
  queryFn: async () => (await read(client.GET("/api/v1/links"))).items,
  refetchInterval: 10_000,
});

/** What a link is for; the query does not use it. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ["link", token],
    queryFn: () => read(client.POST("/api/v1/links/opening", { body: { token } })),
    retry: false,
    refetchOnWindowFocus: false,
  });

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit", filter],
    queryFn: ({ pageParam }) =>
      read(
        client.GET("/api/v1/audit", {
          params: { query: { ...filter, ...(pageParam !== null && { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_cursor,
  });

/** Signs in, or uses a link. Everything that was read for another account is dropped; the link itself is used by now. */
function useEntering<Asked>(enter: (asked: Asked) => Promise<Account>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: enter,
    onSuccess: () => queries.resetQueries({ predicate: ({ queryKey: [name] }) => name !== "link" }),
  });
}

export function useSignIn() {
  return useEntering((body: { name: string; password: string }) =>
    read(client.POST("/api/v1/sessions", { body })),
  );
}

export function useLink(token: string) {
  return useEntering((made: { name?: string; password?: string }) =>
    read(client.POST("/api/v1/links/use", { body: { token, ...made } })),
  );
}

/** Opens the provider in this tab. `return_path` is the page to show at the end. */
export function useProvider() {
  return useMutation({
    mutationFn: async (asked: {
      return_path: string;
      link_token?: string;
      name?: string;
      is_connecting?: boolean;
    }) => {
      const { url } = await read(client.POST("/api/v1/openid/requests", { body: asked }));
      location.assign(url);
    },
  });
}

/** Ends a sign-in with what the provider sent. Returns the page to show. */
export function useFinishing() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: OpenidFinish) =>
      (await read(client.POST("/api/v1/openid/sessions", { body }))).return_path,
    onSuccess: () => queries.resetQueries(),
  });
}

export function useDisconnect() {
  return useChange(() => finished(client.DELETE("/api/v1/me/identity")), "me", "accounts");
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => finished(client.DELETE("/api/v1/sessions/current")),
    onSuccess: () => queries.resetQueries(),
  });
}

/** Sends a change, then reads the named lists again. */
function useChange<Asked, Answer>(ask: (asked: Asked) => Promise<Answer>, ...keys: string[]) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ask,
    onSettled: () => Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] }))),
  });
}

export function useChangePassword() {
  return useChange(
    (body: { current: string | null; password: string }) =>
      finished(client.PUT("/api/v1/me/password", { body })),
    "credentials",
  );
}

export function useMakeToken() {
  return useChange(
    (body: { title: string; role: Role; expires_in_s: number }) =>
      read(client.POST("/api/v1/tokens", { body })),
    "credentials",
  );
}

export function useRevokeCredential() {
  return useChange(
    (credential_id: number) =>
      finished(client.DELETE("/api/v1/credentials/{credential_id}", { params: { path: { credential_id } } })),
    "credentials",
  );
}

export function useSignOutElsewhere() {
  return useChange(() => finished(client.DELETE("/api/v1/credentials")), "credentials");
}

export function useChangeAccount({ id }: Account) {
  const params = { path: { account_id: id } };
  return useChange(
    (body: { role?: Role; is_closed?: boolean }) =>
      read(client.PATCH("/api/v1/accounts/{account_id}", { params, body })),
    "accounts",
    "me",
  );
}

export function useEntryLink({ id }: Account) {
  const params = { path: { account_id: id } };
  return useChange(
    () => read(client.POST("/api/v1/accounts/{account_id}/links", { params, body: {} })),
    "links",
  );
}

export function useInvite() {
  return useChange(
    (body: { role: Role; note: string; expires_in_s: number }) =>
      read(client.POST("/api/v1/links", { body })),
    "links",
  );
}

export function useRevokeLink() {
  return useChange(
    (link_id: number) =>
      finished(client.DELETE("/api/v1/links/{link_id}", { params: { path: { link_id } } })),
    "links",
  );
}

export function useMakeTeam() {
  return useChange((name: string) => read(client.POST("/api/v1/teams", { body: { name } })), "teams");
}

export function useRemoveTeam() {
  return useChange(
    (team_id: number) =>
      finished(client.DELETE("/api/v1/teams/{team_id}", { params: { path: { team_id } } })),
    "teams",
    "me",
  );
}

/** Adds and removes accounts, so that the team has those with these ids. */
export function useChangeMembers({ id: team_id, members }: Team) {
  const change = async (ids: readonly string[]) => {
    const before = members.map(({ id }) => String(id));
    const of = (id: string) => ({ params: { path: { team_id, account_id: Number(id) } } });
    const route = "/api/v1/teams/{team_id}/members/{account_id}";
    for (const id of ids.filter((each) => !before.includes(each))) await read(client.PUT(route, of(id)));
    for (const id of before.filter((each) => !ids.includes(each))) await read(client.DELETE(route, of(id)));
  };
  return useChange(change, "teams", "me");
}
