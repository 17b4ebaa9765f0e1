// The forecast of a profile on a device, updated with each choice beside it.
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Pace } from "../../api/client";
import { Figures } from "../../shared/ui/Figures";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { SetAsideNote } from "../../shared/ui/SetAsideNote";
import { CostCurve } from "./CostCurve";
import { figuresOf } from "./figures";
import classes from "./ForecastPanel.module.css";
import { forecastQuery, type ForecastRequest } from "./queries";
import { FigureLines, Plot } from "../../shared/ui/waiting/shapes";

interface Props {
  request: ForecastRequest;
  pace: Pace | null;
  /** Picks the budget on the curve; null for the best that whole files allow. */
  onPick: (max_rmse: number | null) => void;
}

export function ForecastPanel({ request, pace, onPick }: Props) {
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
        <>
          <FigureLines count={7} />
          <Plot height={230} />
        </>
      ) : (
        <div className={forecast.isPlaceholderData ? classes.stale : undefined}>
          <Figures label="Forecast figures" items={figuresOf(forecast.data, pace)} />
          <SetAsideNote bins={forecast.data.set_aside} />
          {request.max_overwrites == null && (
            <div className={classes.curve}>
              <CostCurve
                forecast={forecast.data}
                pace={pace}
                max_rmse={request.max_rmse ?? null}
                isStale={forecast.isPlaceholderData || settled.max_rmse !== request.max_rmse}
                onPick={onPick}
              />
            </div>
          )}
        </div>
      )}
    </section>
  );
}
