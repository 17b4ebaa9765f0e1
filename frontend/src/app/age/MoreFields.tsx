// What else can be asked of a run: a field for each setting that has none of its own and that the goal has.
import type { WorkloadName } from "../../shared/goal";
import type { AgingMode } from "../../shared/modes";
import { describe, moreNames, unusual, type More, type MoreName } from "../../shared/settings";
import classes from "./AgeDialog.module.css";
import { SettingField } from "./SettingField";

/** Whether a run with this goal has the setting: some are of a profile alone, or of one workload. */
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
      <summary>More{count > 0 && ` (${count} not as usual)`}</summary>
      <div className={classes.settings}>
        {names.map((name) => (
          <SettingField
            key={name}
            name={name}
            more={more}
            disabled={name === "threads_count" && mode !== "unbounded"}
            onChange={onChange}
          />
        ))}
      </div>
    </details>
  );
}

/** What of it the chosen mode and goal take: the number of writers is asked for in one mode alone. */
export function moreFor(mode: AgingMode, workload: WorkloadName | null, more: More): More {
  const takes = (name: MoreName) =>
    isOf(workload, name) && (name !== "threads_count" || mode === "unbounded");
  return Object.fromEntries(
    moreNames.filter((name) => takes(name) && more[name] != null).map((name) => [name, more[name]]),
  );
}

/** What of it makes another plan: what a profile alone has. */
export function planOf(more: More): More {
  return Object.fromEntries(
    moreNames
      .filter((name) => describe(name).of === "profile" && more[name] != null)
      .map((name) => [name, more[name]]),
  );
}
