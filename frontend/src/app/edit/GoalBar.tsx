// Fields for the goal of the forecast: a capacity, of a device or typed, and a fullness.
import { NumberInput, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { memo, useState } from "react";
import type { Device } from "../../api/client";
import { devicesQuery } from "../../features/device/queries";
import { capacityOf } from "../../features/device/words";
import { nameOf } from "../../shared/device";
import { bytes, formatBytes, parseBytes } from "../../shared/units";
import classes from "./Editing.module.css";
import type { ForecastGoal } from "./useDraftForecast";

const TYPED = "typed";
/** The smallest capacity of an aged file system; the server refuses less. */
const LEAST_BYTES = 1_048_576;
const MOST_BYTES = 2 ** 60;

interface Props {
  goal: ForecastGoal;
  onChange: (change: (now: ForecastGoal) => ForecastGoal) => void;
}

function isChoice(device: Device): boolean {
  return device.is_usable && (device.state === "available" || device.state === "busy");
}

function GoalBarNow({ goal, onChange }: Props) {
  const devices = useQuery({ ...devicesQuery, refetchInterval: false });
  const [typed, setTyped] = useState<string | null>(null);
  const choices = (devices.data ?? []).filter(isChoice);
  const text = typed ?? formatBytes(bytes(goal.capacity_bytes)).text;
  const choose = (value: string | null) => {
    const device = choices.find(({ id }) => String(id) === value);
    if (device === undefined) {
      onChange((now) => ({ ...now, device_id: null }));
      return;
    }
    setTyped(null);
    onChange((now) => ({ ...now, device_id: device.id, capacity_bytes: capacityOf(device, "ext4") }));
  };
  const type = (value: string) => {
    setTyped(value);
    const capacity_bytes = parseBytes(value);
    if (capacity_bytes === null || capacity_bytes < LEAST_BYTES || capacity_bytes > MOST_BYTES) return;
    onChange((now) => ({ ...now, capacity_bytes, device_id: null }));
  };
  const parsed = parseBytes(text);
  const isWrong = parsed === null || parsed < LEAST_BYTES || parsed > MOST_BYTES;
  return (
    <div className={classes.goal}>
      <Select
        label="For"
        data={[
          { value: TYPED, label: "Custom capacity" },
          ...choices.map((device) => ({ value: String(device.id), label: nameOf(device) })),
        ]}
        value={goal.device_id === null ? TYPED : String(goal.device_id)}
        onChange={choose}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      <TextInput
        label="Capacity"
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        onBlur={() => !isWrong && setTyped(null)}
        error={isWrong ? "At least 1 MiB, for example 500 GiB" : null}
      />
      <NumberInput
        label="Fullness"
        value={Math.round(goal.fullness * 100)}
        onChange={(value) =>
          typeof value === "number" &&
          value >= 1 &&
          value <= 95 &&
          onChange((now) => ({ ...now, fullness: value / 100 }))
        }
        min={1}
        max={95}
        suffix=" %"
        allowDecimal={false}
      />
    </div>
  );
}

export const GoalBar = memo(GoalBarNow);
