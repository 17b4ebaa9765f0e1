// Queries on devices.
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, read, type Device, type DeviceUse, type Fault, type SandboxCreate } from "../../api/client";
import type { AgingMode } from "../../shared/modes";

export type Medium = NonNullable<SandboxCreate["medium"]>;

export const devicesQuery = queryOptions({
  queryKey: ["devices"],
  queryFn: async () => (await read(client.GET("/api/v1/devices"))).items,
  refetchInterval: ({ state }) => (state.data?.some(({ jobs }) => jobs.length > 0) ? 1_000 : 2_000),
});

/** The pace of a device in a mode, with its basis; without a device, a guess. */
export const paceQuery = (device_id: number | null, mode: AgingMode, file_system: string) =>
  queryOptions({
    queryKey: ["pace", device_id, mode, file_system],
    queryFn: () => read(client.GET("/api/v1/pace", { params: { query: { device_id, mode, file_system } } })),
    staleTime: 60_000,
  });

export function useMakeSandbox() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (request: SandboxCreate) => read(client.POST("/api/v1/devices", { body: request })),
    onSuccess: () => queries.invalidateQueries(devicesQuery),
  });
}

export const diskModelsQuery = queryOptions({
  queryKey: ["disk-models"],
  queryFn: async () => (await read(client.GET("/api/v1/disk-models"))).items,
  staleTime: Infinity, // they come with the application
});

/** Asks for a fault of an emulated disk, or for the end of all. */
export function useInjectFault(device_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Fault) =>
      read(client.POST("/api/v1/devices/{device_id}/faults", { params: { path: { device_id } }, body })),
    onSuccess: () => queries.invalidateQueries(devicesQuery),
  });
}

export function useNameDevice(device_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string | null) =>
      read(
        client.PUT("/api/v1/devices/{device_id}/name", { params: { path: { device_id } }, body: { name } }),
      ),
    onSuccess: () => queries.invalidateQueries(devicesQuery),
  });
}

export function useSetDeviceUsers(device_id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: DeviceUse) =>
      read(client.PUT("/api/v1/devices/{device_id}/users", { params: { path: { device_id } }, body })),
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
