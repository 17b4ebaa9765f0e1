// The forecast of a profile on a device, updated with each choice beside it.
import { Skeleton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Pace } from "../../api/client";
import { Figures } from "../../shared/ui/Figures";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { SetAsideNote } from "../../shared/ui/SetAsideNote";
import { figuresOf } from "./figures";
import classes from "./ForecastPanel.module.css";
import { forecastQuery, type ForecastRequest } from "./queries";

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
          <Figures label="Forecast figures" items={figuresOf(forecast.data, pace)} />
          <SetAsideNote bins={forecast.data.set_aside} />
        </div>
      )}
    </section>
  );
}
