// Figures of estimates beside the metrics of a trial, such as amplifications: bars by workload and image.
import { useId, type ReactNode } from "react";
import type { Trial, TrialFigure } from "../../api/client";
import { BarPlot } from "../../shared/chart/bars/BarPlot";
import type { Bar, BarGroup } from "../../shared/chart/bars/bars";
import { savedBars } from "../../shared/chart/bars/saveBars";
import { Figure } from "../../shared/chart/Figure";
import type { Formatted } from "../../shared/units";
import { intervalOf, textOfInterval } from "./results";
import { labelOfArm, nameOfWorkload, tickOf } from "./words";

export interface EstimateKind {
  title: string;
  unit: string;
  estimateOf: (figure: TrialFigure) => TrialFigure["write_amplification"];
  /** Added to the label of a bar. */
  noteOf?: (figure: TrialFigure) => string | null;
  format: (value: number) => Formatted;
}

/** Returns the bars of one kind, by workload. */
function groupsOf(trial: Trial, { estimateOf, noteOf, format }: EstimateKind): BarGroup[] {
  return trial.settings.workloads.flatMap((workload, index) => {
    const bars = trial.figures.flatMap((figure): Bar[] => {
      const arm = trial.settings.arms[figure.arm];
      const estimate = estimateOf(figure);
      if (figure.workload !== index || estimate === null || arm === undefined) return [];
      const { mean, low, high } = estimate;
      const { text, exact } = format(mean);
      return [
        {
          label: [labelOfArm(arm), noteOf?.(figure)].filter(Boolean).join(", "),
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

function OneEstimate({ groups, kind }: { groups: readonly BarGroup[]; kind: EstimateKind }) {
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

interface Props {
  trial: Trial;
  /** Of the section: its heading. */
  title: string;
  kinds: readonly EstimateKind[];
  children?: ReactNode;
}

/** A section with a figure for each kind that has a value; nothing if none has one. */
export function Estimates({ trial, title, kinds, children }: Props) {
  const id = useId();
  const shown = kinds.flatMap((kind) => {
    const groups = groupsOf(trial, kind);
    return groups.length === 0 ? [] : [{ kind, groups }];
  });
  if (shown.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <div className="patina-section">
        <h2 id={id}>{title}</h2>
      </div>
      <div className="patina-halves">
        {shown.map(({ kind, groups }) => (
          <OneEstimate key={kind.title} kind={kind} groups={groups} />
        ))}
      </div>
      {children}
    </section>
  );
}
