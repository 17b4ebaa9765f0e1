// Queries on forecasts.
import { queryOptions } from "@tanstack/react-query";
import { client, read, type ForecastCreate } from "../../api/client";

export type ForecastRequest = ForecastCreate;

export const forecastQuery = (request: ForecastRequest) =>
  queryOptions({
    queryKey: ["forecast", request],
    queryFn: ({ signal }) => read(client.POST("/api/v1/forecasts", { body: request, signal })),
    staleTime: Infinity,
    retry: false,
  });
