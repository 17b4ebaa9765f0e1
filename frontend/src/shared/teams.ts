// The teams of the server.
import { queryOptions } from "@tanstack/react-query";
import { client, read } from "../api/client";

export const teamsQuery = queryOptions({
  queryKey: ["teams"],
  queryFn: async () => (await read(client.GET("/api/v1/teams"))).items,
});
