// What the profile needs on each of several devices, one at a time where they are not alike.
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Device } from "../../api/client";
import { paceQuery } from "../../features/device/queries";
import { kindOf, nameOf } from "../../features/device/words";
import { ForecastPanel } from "../../features/forecast/ForecastPanel";
import type { Goal } from "./GoalFields";

interface Props {
  goal: Goal;
  /** One of each capacity. */
  devices: readonly [Device, ...Device[]];
}

export function BatchForecast({ goal: { profile, fullness }, devices }: Props) {
  const [chosen, setChosen] = useState(devices[0].id);
  const device = devices.find(({ id }) => id === chosen) ?? devices[0];
  const pace = useQuery(paceQuery(device.id));
  return (
    <div>
      {devices.length > 1 && (
        <Select
          label="Forecast for"
          mb="md"
          data={devices.map((each) => ({
            value: String(each.id),
            label: `${nameOf(each)}, ${kindOf(each)}`,
          }))}
          value={String(device.id)}
          onChange={(value) => setChosen(Number(value))}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
      )}
      <ForecastPanel
        request={{ profile, fullness, capacity_bytes: device.capacity_estimate_bytes }}
        pace={pace.data ?? null}
      />
    </div>
  );
}
