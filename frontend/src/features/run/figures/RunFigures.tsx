// The current figures of a run; after its end, the results.
import { type Target, fullnessNote, headlineOf, metadataOf } from "../../../shared/fullness";
import { Exact } from "../../../shared/ui/Exact";
import { Figures, type FigureItem } from "../../../shared/ui/Figures";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  formatFraction,
  formatOpsPerSecond,
  formatRatio,
  formatTimes,
  fraction,
  opsPerSecond,
  ratio,
  seconds,
} from "../../../shared/units";
import { stopReasons } from "../stopReason";
import type { Telemetry } from "../live/telemetry";

function itemsOf({ plan, workload, summary, sample }: Telemetry, target: Target | null): FigureItem[] {
  const now = summary ?? sample;
  const course = plan ?? workload;
  const say = (value: FigureItem["value"]) => (now === null ? "–" : value);
  const items: FigureItem[] = [
    {
      label: "Operations",
      value: say(<Exact value={formatCount(count(now?.ops_count ?? 0))} />),
      // The horizon of fsfb is an estimate; an ended run has none.
      note:
        course === null || (workload !== null && summary !== null) ? undefined : (
          <>of {formatCount(count(course.horizon_ops_count)).text}</>
        ),
    },
    {
      label: summary === null ? "Pace" : "Pace, whole run",
      value: say(<Exact value={formatOpsPerSecond(opsPerSecond(now?.ops_per_s ?? 0))} />),
    },
    {
      label: "Fullness",
      value: say(<Exact value={formatFraction(fraction(now === null ? 0 : headlineOf(now)))} />),
      note:
        now === null
          ? target !== null && `target ${formatFraction(fraction(target.value)).text}`
          : fullnessNote(now, target),
    },
    {
      label: "Overwrites",
      value: say(<Exact value={formatTimes(ratio(now?.overwrites ?? 0))} />),
      note:
        plan === null ? "device written" : <>device written, of {formatRatio(ratio(plan.overwrites)).text}</>,
    },
    {
      label: "Files",
      value: say(<Exact value={formatCount(count(now?.live_files_count ?? 0))} />),
      note: plan === null ? undefined : <>of {formatCount(count(plan.files_count)).text}</>,
    },
    { label: "Aging time", value: say(<Exact value={formatDuration(seconds(now?.elapsed_s ?? 0))} />) },
  ];
  if (now?.rounds_count != null)
    items.push({ label: "Rounds", value: <Exact value={formatCount(count(now.rounds_count))} /> });
  const metadata = now !== null && course !== null ? metadataOf(now, course.capacity_bytes) : null;
  if (metadata !== null && course !== null) {
    const note = `of ${formatBytes(bytes(course.capacity_bytes)).text} capacity`;
    items.push({ label: "Metadata", value: <Exact value={metadata} />, note });
  }
  if (now !== null && now.no_space_count > 0) {
    items.push({
      label: "Refused, no space",
      value: <Exact value={formatCount(count(now.no_space_count))} />,
    });
  }
  if (summary !== null) items.push({ label: "Stopped because", value: stopReasons[summary.stop_reason] });
  return items;
}

export function RunFigures({ telemetry, target }: { telemetry: Telemetry; target: Target | null }) {
  return <Figures label="Figures of this run" items={itemsOf(telemetry, target)} />;
}
