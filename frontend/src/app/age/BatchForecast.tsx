// The forecast of a profile on several devices; devices of different capacity are shown one at a time.
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paceQuery } from "../../features/device/queries";
import { capacityOf, kindOf } from "../../features/device/words";
import { nameOf } from "../../shared/device";
import { ForecastPanel } from "../../features/forecast/ForecastPanel";
import type { AgingMode } from "../../shared/modes";
import type { More } from "../../shared/settings";
import type { Goal } from "./goal";
import type { Member } from "./member";
import { planOf } from "./MoreFields";

interface Props {
  goal: Goal & { profile: string; fullness: number };
  onPick: (max_rmse: number | null) => void;
  mode: AgingMode;
  more: More;
  /** One member for each capacity. */
  members: readonly [Member, ...Member[]];
}

export function BatchForecast({ goal, onPick, mode, more, members }: Props) {
  const { profile, fullness, profile_version_number, max_rmse } = goal;
  const [chosen, setChosen] = useState(members[0].device.id);
  const { device, file_system } = members.find((member) => member.device.id === chosen) ?? members[0];
  const pace = useQuery(paceQuery(device.id, mode, file_system));
  return (
    <div>
      {members.length > 1 && (
        <Select
          label="Forecast for"
          mb="md"
          data={members.map(({ device: each, file_system: name }) => ({
            value: String(each.id),
            label: `${nameOf(each)}, ${kindOf(each)}, ${name}`,
          }))}
          value={String(device.id)}
          onChange={(value) => setChosen(Number(value))}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
      )}
      <ForecastPanel
        request={{
          profile,
          fullness,
          profile_version_number,
          ...planOf(more),
          ...(max_rmse !== null && { max_rmse, max_overwrites: null }),
          capacity_bytes: capacityOf(device, file_system),
        }}
        pace={pace.data ?? null}
        onPick={onPick}
      />
    </div>
  );
}
