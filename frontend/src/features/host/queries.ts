// What the page asks of hosts.
import { queryOptions } from "@tanstack/react-query";
import { client, read } from "../../api/client";

export const hostsQuery = queryOptions({
  queryKey: ["hosts"],
  queryFn: async () => (await read(client.GET("/api/v1/hosts"))).items,
  refetchInterval: 10_000,
});
