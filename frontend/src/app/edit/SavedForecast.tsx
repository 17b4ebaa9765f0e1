// The forecast of a saved profile, on its page.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Profile } from "../../api/client";
import { paceQuery } from "../../features/device/queries";
import { forecastQuery } from "../../features/forecast/queries";
import { contentOf, histogramsOf } from "../../features/profile/editor/draft/bin";
import { LinkButton } from "../../shared/ui/LinkButton";
import { usualFileSystem } from "../age/FileSystemField";
import { usualHow } from "../age/HowFields";
import { FIRST_GOAL, ForecastSection } from "./ForecastSection";

export function SavedForecast({ profile: { name, latest_version } }: { profile: Profile }) {
  const [goal, setGoal] = useState(FIRST_GOAL);
  const { capacity_bytes, fullness, max_rmse, device_id } = goal;
  const histograms = useMemo(() => contentOf(histogramsOf(latest_version)), [latest_version]);
  const forecast = useQuery({
    ...forecastQuery({ histograms, capacity_bytes, fullness, max_rmse }),
    placeholderData: keepPreviousData,
  });
  const { data: pace = null } = useQuery(paceQuery(device_id, usualHow.mode, usualFileSystem));
  return (
    <ForecastSection
      {...{ goal, pace }}
      forecast={forecast.data}
      error={forecast.error}
      waiting={null}
      onGoal={setGoal}
    >
      <LinkButton
        variant="default"
        to="/devices"
        search={{ profile: name, ...(max_rmse !== null && { max_rmse }) }}
      >
        Age a device to this forecast
      </LinkButton>
    </ForecastSection>
  );
}
