// The account of this browser.
import { queryOptions } from "@tanstack/react-query";
import { client, read } from "../api/client";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: () => read(client.GET("/api/v1/me")),
  staleTime: 30_000,
});
