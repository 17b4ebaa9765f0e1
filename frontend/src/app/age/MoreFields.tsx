// Further settings of a run: a field for each that applies to the goal and has no field of its own.
import type { WorkloadName } from "../../shared/goal";
import type { AgingMode } from "../../shared/modes";
import { describe, moreNames, unusual, type More, type MoreName } from "../../shared/settings";
import classes from "./AgeDialog.module.css";
import { SettingField } from "./SettingField";

/** Reports whether a run with this goal has the setting: some apply to a profile only, or to one workload. */
function isOf(workload: WorkloadName | null, name: MoreName): boolean {
  const { of } = describe(name);
  return of === undefined || of === (workload ?? "profile");
}

interface Props {
  more: More;
  mode: AgingMode;
  workload: WorkloadName | null;
  onChange: (more: More) => void;
}

export function MoreFields({ more, mode, workload, onChange }: Props) {
  const names = moreNames.filter((name) => isOf(workload, name) && describe(name).of !== workload);
  const count = unusual(moreFor(mode, workload, more)).length;
  return (
    <details className={classes.more}>
      <summary>More{count > 0 && ` (${count} changed)`}</summary>
      <div className={classes.settings}>
        {names.map((name) => (
          <SettingField
            key={name}
            name={name}
            more={more}
            whyDisabled={
              name === "threads_count" && mode !== "unbounded"
                ? "Set by the mode, but for As fast tools do"
                : null
            }
            onChange={onChange}
          />
        ))}
      </div>
    </details>
  );
}

/** Returns the settings that the chosen mode and goal take: one mode alone takes the number of writers. */
export function moreFor(mode: AgingMode, workload: WorkloadName | null, more: More): More {
  const takes = (name: MoreName) =>
    isOf(workload, name) && (name !== "threads_count" || mode === "unbounded");
  return Object.fromEntries(
    moreNames.filter((name) => takes(name) && more[name] != null).map((name) => [name, more[name]]),
  );
}

/** Returns the settings that change the plan: those that apply to a profile only. */
export function planOf(more: More): More {
  return Object.fromEntries(
    moreNames
      .filter((name) => describe(name).of === "profile" && more[name] != null)
      .map((name) => [name, more[name]]),
  );
}
