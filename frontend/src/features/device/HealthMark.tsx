// A warning on a disk that expects to fail, or has begun to lose sectors.
import type { Device } from "../../api/client";
import { StateMark } from "../../shared/ui/StateMark";

export function HealthMark({ device }: { device: Device }) {
  const health = device.facts?.health;
  if (health == null) return null;
  if (health.has_passed === false) return <StateMark tone="bad">The disk expects to fail</StateMark>;
  const bad = (health.pending_sectors_count ?? 0) + (health.media_errors_count ?? 0);
  return bad > 0 ? <StateMark tone="bad">The disk has unreadable sectors</StateMark> : null;
}
