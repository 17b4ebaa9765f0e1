// How the device is aged, and what the files hold.
import { Select } from "@mantine/core";
import { agingModes, dataModes, isAgingMode, isDataMode } from "../../shared/modes";
import type { AgingMode, DataMode } from "../../shared/modes";

export interface How {
  mode: AgingMode;
  data_mode: DataMode;
}

export const usualHow: How = { mode: "faithful", data_mode: "materialize" };

const shared = {
  descriptionProps: { fz: 13 },
  inputWrapperOrder: ["label", "input", "error", "description"] as (
    | "label"
    | "input"
    | "error"
    | "description"
  )[],
  allowDeselect: false,
  comboboxProps: { transitionProps: { duration: 0 } },
};

function optionsOf(choices: Record<string, { label: string }>) {
  return Object.entries(choices).map(([value, { label }]) => ({ value, label }));
}

export function HowFields({ how, onChange }: { how: How; onChange: (how: How) => void }) {
  return (
    <>
      <Select
        {...shared}
        label="Mode"
        description={agingModes[how.mode].description}
        data={optionsOf(agingModes)}
        value={how.mode}
        onChange={(mode) => isAgingMode(mode) && onChange({ ...how, mode })}
      />
      <Select
        {...shared}
        label="Data"
        description={dataModes[how.data_mode].description}
        data={optionsOf(dataModes)}
        value={how.data_mode}
        onChange={(data_mode) => isDataMode(data_mode) && onChange({ ...how, data_mode })}
      />
    </>
  );
}
