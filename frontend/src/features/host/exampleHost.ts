// A host, for tests.
import type { Host } from "../../api/client";

export const host: Host = {
  id: 2,
  name: "lab-2",
  patina_version: "0.1.0",
  kernel: "6.1",
  lacks: {},
  cores_count: 2,
  memory_bytes: 8 * 2 ** 30,
  memory_free_bytes: 4 * 2 ** 30,
  disk_bytes: 500 * 2 ** 30,
  disk_free_bytes: 100 * 2 ** 30,
  tools: {},
  device_allow: [],
  scan_folders: [],
  commands: [],
  sandbox_quota_bytes: 2 ** 36,
  heartbeat_at: "2026-11-22T12:03:00Z",
  is_healthy: true,
  removed_at: null,
  has_own_access: false,
};
