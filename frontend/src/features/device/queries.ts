// What the page asks of devices.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type Device } from "../../api/client";

export interface SandboxRequest {
  size_bytes: number;
  medium: "file" | "memory";
}

export const devicesQuery = queryOptions({
  queryKey: ["devices"],
  queryFn: async () => (await read(client.GET("/api/v1/devices"))).items,
  refetchInterval: 2_000,
});

/** How fast it ages, and by whose measure. */
export const paceQuery = (device_id: number) =>
  queryOptions({
    queryKey: ["devices", device_id, "pace"],
    queryFn: () => read(client.GET("/api/v1/devices/{device_id}/pace", { params: { path: { device_id } } })),
    staleTime: 60_000,
  });

export function useMakeSandbox() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (request: SandboxRequest) => read(client.POST("/api/v1/devices", { body: request })),
    onSuccess: () => queries.invalidateQueries(devicesQuery),
  });
}

export function useRemoveSandbox() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (device: Device) =>
      read(client.DELETE("/api/v1/devices/{device_id}", { params: { path: { device_id: device.id } } })),
    onSuccess: () => queries.invalidateQueries(devicesQuery),
  });
}
