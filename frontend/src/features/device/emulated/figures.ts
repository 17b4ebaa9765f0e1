// The figures of an emulated disk as its card shows them.
import type { Device, Emulated } from "../../../api/client";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  formatFraction,
  fraction,
  seconds,
  type Formatted,
} from "../../../shared/units";

/** A worker reports with each heartbeat; what is older by so much was not answered. */
const SILENCE_MS = 30_000;

export interface Row {
  label: string;
  value: Formatted;
  note?: string;
}

/** Returns the part of what a plain disk would store that this one does not; null where it saves nothing. */
export function savedFraction({
  stored_bytes,
  saved_bytes,
}: Pick<Emulated, "stored_bytes" | "saved_bytes">): number | null {
  return saved_bytes === 0 ? null : saved_bytes / (stored_bytes + saved_bytes);
}

/** Returns when the last request failed, as of the figures. */
export function failedWords({ error_age_s: age }: Pick<Emulated, "error_age_s">): string {
  return age === null ? "A request failed" : `A request failed ${formatDuration(seconds(age)).text} ago`;
}

/** Returns the time that the modelled disk would have taken for its requests; null without a model. */
function predictionOf({ predicted_s, requests_count, delay_error_fraction: delay }: Emulated): Row | null {
  if (predicted_s === null) return null;
  const requests = formatCount(count(requests_count)).text;
  const late =
    delay === null ? "" : `; each measured within ${formatFraction(fraction(Math.abs(delay))).text} of it`;
  return {
    label: "Predicted",
    value: formatDuration(seconds(predicted_s)),
    note: `for ${requests} requests on the modelled disk${late}`,
  };
}

/** Returns what is known of the data of kept paths; nothing without such paths. */
function keptPathsRows({ chosen_bytes, lost_held_bytes }: Emulated, paths: readonly string[]): Row[] {
  if (paths.length === 0) return [];
  const size = (value: number) => formatBytes(bytes(value));
  return [
    { label: "Kept as written", value: size(chosen_bytes), note: `of ${paths.join(", ")}` },
    ...(lost_held_bytes === 0
      ? []
      : [
          {
            label: "Dropped too early",
            value: size(lost_held_bytes),
            note: "maybe of these paths: more was written than can be held",
          },
        ]),
  ];
}

/** Returns the rows of the card; none before the first report. */
export function rowsOf({ emulated, emulation }: Pick<Device, "emulated" | "emulation">): readonly Row[] {
  if (emulated === null) return [];
  const size = (value: number) => formatBytes(bytes(value));
  const saved = savedFraction(emulated);
  const prediction = predictionOf(emulated);
  const { available_bytes: most, used_bytes: used } = emulated;
  return [
    { label: "Target", value: size(emulated.size_bytes), note: "as its file system sees it" },
    ...(used === null ? [] : [{ label: "Used", value: size(used), note: "by its file system" }]),
    {
      label: "Stored",
      value: size(emulated.stored_bytes),
      note: most === null ? "on the host" : `on the host, of at most ${size(most).text}`,
    },
    ...keptPathsRows(emulated, emulation?.kept_paths ?? []),
    {
      label: "Saved",
      value: size(emulated.saved_bytes),
      ...(saved !== null && {
        note: `${formatFraction(fraction(saved)).text} of what a plain disk would store`,
      }),
    },
    { label: "Memory", value: size(emulated.memory_bytes), note: "of its emulator" },
    ...(prediction === null ? [] : [prediction]),
  ];
}

/** Returns since when the emulator has not answered, though its host's worker is well; null while it answers. */
export function silentSince({ emulated, host }: Pick<Device, "emulated" | "host">): string | null {
  if (emulated === null || !host.is_healthy) return null;
  const age_ms = Date.parse(host.heartbeat_at) - Date.parse(emulated.measured_at);
  return age_ms > SILENCE_MS ? emulated.measured_at : null;
}

/** Returns why nothing is dropped; null where data is, or the disk is empty. */
export function whyWhole({ emulated, holds }: Pick<Device, "emulated" | "holds">): string | null {
  if (emulated === null || emulated.kept_bytes === 0) return null;
  if (emulated.file_system === null && holds === null) return null;
  return emulated.kept_whole_reason;
}
