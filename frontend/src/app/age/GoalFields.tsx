// Fields for the goal: a profile and a fullness, or a workload.
import { NumberInput, Select, Slider, UnstyledButton } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { Profile } from "../../api/client";
import { hasFullness, isWorkload, workloads } from "../../shared/goal";
import { fullnessKinds } from "../../shared/modes";
import { moreNames, type More, describe } from "../../shared/settings";
import { formatFraction, fraction } from "../../shared/units";
import { ChoiceField } from "../../shared/ui/ChoiceField";
import classes from "./AgeDialog.module.css";
import { LEAST_FULLNESS, MOST_FULLNESS, percentOf, problemOfFullness, type Goal } from "./goal";
import { ReplayFields } from "./ReplayFields";
import { SettingField } from "./SettingField";
import { VersionField } from "./VersionField";

const LOWEST = percentOf(LEAST_FULLNESS);
const HIGHEST = percentOf(MOST_FULLNESS);

/** Has the same place with and without a budget: picking on the curve moves nothing. */
function AccuracyLine({ max_rmse, onClear }: { max_rmse: number | null; onClear: () => void }) {
  if (max_rmse === null)
    return (
      <p className={classes.description}>
        Ages until all histograms match. Pick a point on the cost curve to stop earlier.
      </p>
    );
  return (
    <p className={classes.description}>
      Stops at an age RMSE of {formatFraction(fraction(max_rmse)).text}, as picked on the curve.{" "}
      <UnstyledButton className="patina-link" fz={13} td="underline" onClick={onClear}>
        Age exactly instead
      </UnstyledButton>
    </p>
  );
}

/** Marks the names of workloads, which share a field with names of profiles. */
const ofWorkload = "workload ";

function GoalChoice({ goal, profiles, onChange }: Pick<Props, "goal" | "profiles" | "onChange">) {
  const chosen = profiles.find(({ name }) => name === goal.profile);
  const first = useRef<HTMLInputElement>(null);
  // The dialog opens before its fields are loaded: by then its focus is on its first button.
  useEffect(() => first.current?.focus({ preventScroll: true }), []);
  const choose = (value: string | null) => {
    if (value === null) return;
    const workload = value.startsWith(ofWorkload) ? value.slice(ofWorkload.length) : null;
    const other = { ...goal, profile_version_number: null };
    if (isWorkload(workload)) onChange({ ...other, profile: null, workload });
    else onChange({ ...other, profile: value, workload: null });
  };
  return (
    <div>
      <Select
        ref={first}
        label="Profile or workload"
        data={[
          { group: "Profiles", items: profiles.map(({ name, title }) => ({ value: name, label: title })) },
          {
            group: "Workloads",
            items: Object.entries(workloads).map(([name, { label }]) => ({
              value: `${ofWorkload}${name}`,
              label,
            })),
          },
        ]}
        value={goal.workload === null ? goal.profile : `${ofWorkload}${goal.workload}`}
        onChange={choose}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
        data-autofocus
      />
      {chosen !== undefined && (
        <VersionField
          profile={chosen}
          number={goal.profile_version_number}
          onChange={(profile_version_number) => onChange({ ...goal, profile_version_number })}
        />
      )}
      {goal.workload !== null && (
        <p className={classes.description}>{workloads[goal.workload].description}</p>
      )}
    </div>
  );
}

function FullnessFields({ goal, onChange }: Pick<Props, "goal" | "onChange">) {
  const [typed, setTyped] = useState<number | string>("");
  const percent = goal.fullness === null ? "" : percentOf(goal.fullness);
  // What was typed is shown until the fullness changes otherwise: "70." is not yet 70.5.
  const shown = Number(typed) === percent && typed !== "" ? typed : percent;
  const type = (value: number | string) => {
    setTyped(value);
    const isNumber = value !== "" && Number.isFinite(Number(value));
    onChange({ ...goal, fullness: isNumber ? Number((Number(value) / 100).toPrecision(12)) : null });
  };
  return (
    <div className={classes.fullness}>
      <Slider
        value={Math.min(HIGHEST, Math.max(LOWEST, percent === "" ? LOWEST : percent))}
        onChange={(value) => onChange({ ...goal, fullness: value / 100 })}
        min={LOWEST}
        max={HIGHEST}
        label={null}
        thumbLabel="Fullness"
      />
      <NumberInput
        label="Fullness"
        value={shown}
        onChange={type}
        error={problemOfFullness(goal)}
        clampBehavior="none"
        decimalScale={2}
        suffix=" %"
        hideControls
      />
    </div>
  );
}

interface Props {
  goal: Goal;
  profiles: readonly Profile[];
  /** The host whose operation logs can be replayed. */
  host: { id: number; name: string };
  more: More;
  onChange: (goal: Goal) => void;
  onMore: (more: More) => void;
}

export function GoalFields({ goal, profiles, host, more, onChange, onMore }: Props) {
  const { workload } = goal;
  return (
    <div className={classes.fields}>
      <GoalChoice goal={goal} profiles={profiles} onChange={onChange} />
      {workload === "replay" && <ReplayFields goal={goal} host={host} onChange={onChange} />}
      {hasFullness(workload) && <FullnessFields goal={goal} onChange={onChange} />}
      {moreNames
        .filter((name) => workload !== null && describe(name).of === workload)
        .map((name) => (
          <SettingField key={name} name={name} more={more} onChange={onMore} />
        ))}
      {workload === null && (
        <ChoiceField
          label="Fullness of"
          choices={fullnessKinds}
          value={goal.fullness_of}
          onChange={(fullness_of) => onChange({ ...goal, fullness_of })}
        />
      )}
      {workload === null && (
        <AccuracyLine max_rmse={goal.max_rmse} onClear={() => onChange({ ...goal, max_rmse: null })} />
      )}
    </div>
  );
}
