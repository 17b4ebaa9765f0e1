// The account of this browser.
import { queryOptions } from "@tanstack/react-query";
import { client, read, type Role } from "../api/client";

/** In ascending order: each has the rights of those before it. */
const ORDER: readonly Role[] = ["viewer", "member", "operator", "owner"];

/** Reports whether a role has all rights of another. */
export function includes(role: Role, other: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(other);
}

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: () => read(client.GET("/api/v1/me")),
  staleTime: 30_000,
});
