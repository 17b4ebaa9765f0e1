// The forecast of a draft as it changes: one request at a time, always with the current draft.
import { keepPreviousData, useIsFetching, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ForecastCreate, Plan } from "../../api/client";
import { forecastQuery } from "../../features/forecast/queries";
import { contentOf, histogramNames, type EditedHistograms } from "../../features/profile/editor/draft/bin";
import { flawsOf } from "../../features/profile/editor/draft/flaw";
import type { DraftStore } from "../../features/profile/editor/draft/store";

const PAUSE_MS = 60;
/** Each edit is a request of its own, so old answers are dropped soon. */
const FORGET_MS = 20_000;

export interface ForecastGoal {
  capacity_bytes: number;
  fullness: number;
  device_id: number | null;
  max_rmse: number | null;
}

function isWhole(histograms: EditedHistograms): boolean {
  return histogramNames.every((name) => flawsOf(name, histograms[name]).length === 0);
}

/** Follows the draft, except while a request is pending, and never with a draft that the server would refuse. */
function useAskable(store: DraftStore, isBusy: boolean) {
  const [state, setState] = useState(() => ({
    histograms: store.getDraft().histograms,
    isWhole: isWhole(store.getDraft().histograms),
  }));
  const busy = useRef(isBusy);
  useEffect(() => {
    busy.current = isBusy;
  }, [isBusy]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      timer = undefined;
      if (busy.current) {
        timer = setTimeout(look, PAUSE_MS);
        return;
      }
      const { histograms } = store.getDraft();
      const isGood = isWhole(histograms);
      setState((now) => ({ histograms: isGood ? histograms : now.histograms, isWhole: isGood }));
    };
    const stop = store.subscribe(() => (timer ??= setTimeout(look, PAUSE_MS)));
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store]);
  return state;
}

export interface DraftForecast {
  forecast: Plan | undefined;
  error: unknown;
  waiting: string | null;
  /** The request that the answer belongs, or will belong, to. */
  request: ForecastCreate | null;
}

export function useDraftForecast(store: DraftStore, goal: ForecastGoal): DraftForecast {
  const isBusy = useIsFetching({ queryKey: ["forecast"] }) > 0;
  const asked = useAskable(store, isBusy);
  const { capacity_bytes, fullness, max_rmse } = goal;
  const request = useMemo(
    () => ({ histograms: contentOf(asked.histograms), capacity_bytes, fullness, max_rmse }),
    [asked.histograms, capacity_bytes, fullness, max_rmse],
  );
  const answer = useQuery({
    ...forecastQuery(request),
    enabled: isWhole(asked.histograms),
    placeholderData: keepPreviousData,
    gcTime: FORGET_MS,
  });
  return {
    forecast: answer.data,
    error: answer.error,
    request: asked.isWhole ? request : null,
    waiting: asked.isWhole ? null : "The forecast shows the last histograms without an error.",
  };
}
