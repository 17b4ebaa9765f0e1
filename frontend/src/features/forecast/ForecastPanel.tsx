// What a profile will need on a device, beside the choice and as fast as it changes.
import { Skeleton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Plan } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { Figures, type FigureItem } from "../../shared/ui/Figures";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  formatEdge,
  formatFraction,
  formatRatio,
  fraction,
  ratio,
  seconds,
} from "../../shared/units";
import classes from "./ForecastPanel.module.css";
import { forecastQuery, type ForecastRequest } from "./queries";
import { SetAsideNote } from "../../shared/ui/SetAsideNote";

/** The rate of an earlier run on the same device, if there is one: the only honest source of a duration. */
export interface Pace {
  ops_per_s: number;
  run_id: number;
}

function itemsOf(plan: Plan, pace: Pace | null): FigureItem[] {
  const critical = plan.histograms.age[plan.critical_age_bin];
  const items: FigureItem[] = [
    { label: "Files", value: <Exact value={formatCount(count(plan.files_count))} /> },
    { label: "Operations", value: <Exact value={formatCount(count(plan.horizon_ops_count))} /> },
    {
      label: "Overwrites",
      value: <Exact value={formatRatio(ratio(plan.overwrites))} />,
      note: <Exact value={formatBytes(bytes(plan.written_bytes))} />,
    },
    {
      label: "Age RMSE",
      value: <Exact value={formatFraction(fraction(plan.age_rmse))} />,
      note: `beside the integer floor, ${formatFraction(fraction(plan.rmse_floor)).text}`,
    },
  ];
  if (critical !== undefined) {
    items.push({
      label: "Critical age bin",
      value: `under ${formatEdge("age", critical.edge)}`,
      note: `sets the length; without it ${formatCount(count(plan.runner_up_horizon_ops_count)).text}`,
    });
  }
  if (pace !== null) {
    const duration = formatDuration(seconds(plan.horizon_ops_count / pace.ops_per_s));
    items.push({
      label: "Time",
      value: <Exact value={duration} />,
      note: `at the pace of run ${pace.run_id}`,
    });
  }
  return items;
}

export function ForecastPanel({ request, pace }: { request: ForecastRequest; pace: Pace | null }) {
  const [settled] = useDebouncedValue(request, 120);
  const forecast = useQuery({ ...forecastQuery(settled), placeholderData: keepPreviousData });
  return (
    <section className={classes.panel} aria-label="Forecast" aria-busy={forecast.isFetching}>
      <h3 className={classes.title}>
        Forecast <span className={classes.quiet}>computed, not measured</span>
      </h3>
      {forecast.isError ? (
        <RefusalNotice error={forecast.error} onRetry={() => void forecast.refetch()} />
      ) : forecast.data === undefined ? (
        <Skeleton height={168} />
      ) : (
        <div className={forecast.isPlaceholderData ? classes.stale : undefined}>
          <Figures label="Forecast figures" items={itemsOf(forecast.data, pace)} />
          <SetAsideNote bins={forecast.data.set_aside} />
        </div>
      )}
    </section>
  );
}
