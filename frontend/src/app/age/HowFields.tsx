// How the device is aged, and what the files hold.
import { agingModes, dataModes } from "../../shared/modes";
import type { AgingMode, DataMode } from "../../shared/modes";
import { ChoiceField } from "./ChoiceField";

export interface How {
  mode: AgingMode;
  data_mode: DataMode;
}

export const usualHow: How = { mode: "faithful", data_mode: "materialize" };

export function HowFields({ how, onChange }: { how: How; onChange: (how: How) => void }) {
  return (
    <>
      <ChoiceField
        label="Mode"
        choices={agingModes}
        value={how.mode}
        onChange={(mode) => onChange({ ...how, mode })}
      />
      <ChoiceField
        label="Data"
        choices={dataModes}
        value={how.data_mode}
        onChange={(data_mode) => onChange({ ...how, data_mode })}
      />
    </>
  );
}
