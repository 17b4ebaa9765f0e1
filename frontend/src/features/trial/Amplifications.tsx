// Amplification: bytes to the device over those of the workload, and space taken over the sizes of its files.
import type { Trial } from "../../api/client";
import { BarPlot } from "../../shared/chart/bars/BarPlot";
import type { Bar, BarGroup } from "../../shared/chart/bars/bars";
import { savedBars } from "../../shared/chart/bars/saveBars";
import { Figure } from "../../shared/chart/Figure";
import { formatFraction, fraction, type Formatted } from "../../shared/units";
import { intervalOf, textOfInterval } from "./results";
import { formatTimes, labelOfArm, nameOfWorkload, tickOf } from "./words";

interface Kind {
  name: "write_amplification" | "space_amplification" | "metadata_share";
  title: string;
  unit: string;
  format: (value: number) => Formatted;
}

const kinds: readonly Kind[] = [
  {
    name: "write_amplification",
    title: "Write amplification",
    unit: "bytes to the device over bytes of the workload",
    format: formatTimes,
  },
  {
    name: "metadata_share",
    title: "Metadata",
    unit: "of all bytes written, from the mount to the unmount",
    format: (value) => formatFraction(fraction(value)),
  },
  {
    name: "space_amplification",
    title: "Space amplification",
    unit: "what the workload's files take over their sizes",
    format: formatTimes,
  },
];

/** Returns the bars of one kind, by workload. */
function groupsOf(trial: Trial, { name, format }: Kind): BarGroup[] {
  return trial.settings.workloads.flatMap((workload, index) => {
    const bars = trial.figures.flatMap((figure): Bar[] => {
      const arm = trial.settings.arms[figure.arm];
      const estimate = figure[name];
      if (figure.workload !== index || estimate === null || arm === undefined) return [];
      const { mean, low, high } = estimate;
      const { text, exact } = format(mean);
      return [
        {
          label: labelOfArm(arm),
          mean,
          low,
          high,
          points: [],
          outliers: [],
          isBase: arm.is_base === true,
          text,
          exact: `${exact}; ${intervalOf(estimate)}`,
        },
      ];
    });
    return bars.length === 0 ? [] : [{ label: nameOfWorkload(workload), bars }];
  });
}

function Amplification({ groups, kind }: { groups: readonly BarGroup[]; kind: Kind }) {
  const { title, unit, format } = kind;
  const tick = tickOf(format);
  return (
    <Figure
      title={title}
      unit={unit}
      saved={savedBars(title, unit, groups, tick)}
      table={() => ({
        columns: ["Workload", "Image", "Mean", "95 % interval"],
        rows: groups.flatMap(({ label, bars }) =>
          bars.map((bar) => [label, bar.label, bar.mean.toPrecision(4), textOfInterval(bar)]),
        ),
      })}
    >
      <BarPlot groups={groups} tick={tick} />
    </Figure>
  );
}

export function Amplifications({ trial }: { trial: Trial }) {
  const shown = kinds.flatMap((kind) => {
    const groups = groupsOf(trial, kind);
    return groups.length === 0 ? [] : [{ kind, groups }];
  });
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby="amplification">
      <div className="patina-section">
        <h2 id="amplification">Amplification</h2>
      </div>
      <div className="patina-halves">
        {shown.map(({ kind, groups }) => (
          <Amplification key={kind.name} kind={kind} groups={groups} />
        ))}
      </div>
    </section>
  );
}
