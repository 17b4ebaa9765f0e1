// Fields for the mode of the aging and the data of its files.
import { distanceOf, priceOf } from "../../shared/distances";
import { agingModes, dataModes } from "../../shared/modes";
import type { AgingMode, DataMode } from "../../shared/modes";
import { ChoiceField } from "../../shared/ui/ChoiceField";

export interface How {
  mode: AgingMode;
  data_mode: DataMode;
}

export const usualHow: How = { mode: "faithful", data_mode: "materialize" };

/** Returns the measurements of a mode, one line for each file system. */
function measuredOn(file_systems: readonly string[], mode: AgingMode): string[] {
  return [...new Set(file_systems)].flatMap((name) => {
    const said = [distanceOf(name, mode), priceOf(name, mode)].filter((words) => words !== null);
    return said.length === 0 ? [] : [`Measured on ${name}: ${said.join("; ")}`];
  });
}

interface Props {
  how: How;
  file_systems: readonly string[];
  onChange: (how: How) => void;
}

export function HowFields({ how, file_systems, onChange }: Props) {
  return (
    <>
      <ChoiceField
        label="Mode"
        notes={measuredOn(file_systems, how.mode)}
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
