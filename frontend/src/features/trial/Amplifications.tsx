// Amplification: bytes to the device over those of the workload, and space taken over the sizes of its files.
import type { Trial } from "../../api/client";
import { BarPlot } from "../../shared/chart/bars/BarPlot";
import type { Bar, BarGroup } from "../../shared/chart/bars/bars";
import { savedBars } from "../../shared/chart/bars/saveBars";
import { Figure } from "../../shared/chart/Figure";
import { formatFraction, fraction } from "../../shared/units";
import { intervalOf } from "./results";
import { formatTimes, labelOfArm, nameOfWorkload, tickOf } from "./words";

type Kind = "write_amplification" | "space_amplification";

/** Returns the bars of one kind. Of writes each has its share of metadata as a note. */
function groupsOf(trial: Trial, kind: Kind): BarGroup[] {
  return trial.settings.workloads.flatMap((workload, index) => {
    const bars = trial.figures.flatMap((figure): Bar[] => {
      const arm = trial.settings.arms[figure.arm];
      const estimate = figure[kind];
      if (figure.workload !== index || estimate === null || arm === undefined) return [];
      const { mean, low, high } = estimate;
      const { text, exact } = formatTimes(mean);
      const interval = intervalOf(estimate);
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
          exact: `${exact}; ${interval}`,
          ...(kind === "write_amplification" &&
            figure.metadata_share !== null && {
            note: `${formatFraction(fraction(figure.metadata_share.mean)).text} metadata`,
          }),
        },
      ];
    });
    return bars.length === 0 ? [] : [{ label: nameOfWorkload(workload), bars }];
  });
}

function Amplification({ groups, title, unit }: { groups: readonly BarGroup[]; title: string; unit: string }) {
  const tick = tickOf(formatTimes);
  return (
    <Figure
      title={title}
      unit={unit}
      saved={savedBars(title, unit, groups, tick)}
      table={() => ({
        columns: ["Workload", "Image", "Mean", "95 % interval", "Of it"],
        rows: groups.flatMap(({ label, bars }) =>
          bars.map((bar) => [
            label,
            bar.label,
            bar.mean.toPrecision(4),
            bar.low === null || bar.high === null
              ? "–"
              : `${bar.low.toPrecision(4)} to ${bar.high.toPrecision(4)}`,
            bar.note ?? "–",
          ]),
        ),
      })}
    >
      <BarPlot groups={groups} tick={tick} />
    </Figure>
  );
}

export function Amplifications({ trial }: { trial: Trial }) {
  const [writes, space] = [groupsOf(trial, "write_amplification"), groupsOf(trial, "space_amplification")];
  if (writes.length === 0 && space.length === 0) return null;
  return (
    <section aria-labelledby="amplification">
      <div className="patina-section">
        <h2 id="amplification">Amplification</h2>
      </div>
      <div className="patina-halves">
        {writes.length > 0 && (
          <Amplification
            groups={writes}
            title="Write amplification"
            unit="bytes to the device over bytes of the workload"
          />
        )}
        {space.length > 0 && (
          <Amplification
            groups={space}
            title="Space amplification"
            unit="what the workload's files take over their sizes"
          />
        )}
      </div>
    </section>
  );
}
