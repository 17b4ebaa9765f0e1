// Write amplification: bytes written to the device, over the bytes that each workload wrote.
import type { Trial } from "../../api/client";
import { BarPlot } from "../../shared/chart/bars/BarPlot";
import type { Bar, BarGroup } from "../../shared/chart/bars/bars";
import { savedBars } from "../../shared/chart/bars/saveBars";
import { Figure } from "../../shared/chart/Figure";
import { intervalOf } from "./results";
import { formatTimes, labelOfArm, nameOfWorkload, tickOf } from "./words";

function groupsOf(trial: Trial): BarGroup[] {
  return trial.settings.workloads.flatMap((workload, index) => {
    const bars = trial.figures.flatMap((figure): Bar[] => {
      const arm = trial.settings.arms[figure.arm];
      if (figure.workload !== index || figure.write_amplification === null || arm === undefined) return [];
      const { mean, low, high } = figure.write_amplification;
      const { text, exact } = formatTimes(mean);
      const interval = intervalOf(figure.write_amplification);
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
        },
      ];
    });
    return bars.length === 0 ? [] : [{ label: nameOfWorkload(workload), bars }];
  });
}

export function WriteAmplification({ trial }: { trial: Trial }) {
  const groups = groupsOf(trial);
  if (groups.length === 0) return null;
  const title = "Write amplification";
  const unit = "bytes to the device over bytes of the workload";
  const tick = tickOf(formatTimes);
  return (
    <section aria-labelledby="amplification">
      <div className="patina-section">
        <h2 id="amplification">Writes</h2>
      </div>
      <Figure
        title={title}
        unit={unit}
        saved={savedBars(title, unit, groups, tick)}
        table={() => ({
          columns: ["Workload", "Image", "Mean", "95 % interval"],
          rows: groups.flatMap(({ label, bars }) =>
            bars.map((bar) => [
              label,
              bar.label,
              bar.mean.toPrecision(4),
              bar.low === null || bar.high === null
                ? "–"
                : `${bar.low.toPrecision(4)} to ${bar.high.toPrecision(4)}`,
            ]),
          ),
        })}
      >
        <BarPlot groups={groups} tick={tick} />
      </Figure>
    </section>
  );
}
