// What the page asks of forecasts.
import { queryOptions } from "@tanstack/react-query";
import { client, read } from "../../api/client";

export interface ForecastRequest {
  profile: string;
  fullness: number;
  capacity_bytes: number;
}

export const forecastQuery = (request: ForecastRequest) =>
  queryOptions({
    queryKey: ["forecast", request],
    queryFn: () => read(client.POST("/api/v1/forecasts", { body: request })),
    staleTime: Infinity,
    retry: false,
  });
