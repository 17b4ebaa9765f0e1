// Fields for the goal: a profile and a fullness, or a workload.
import { NumberInput, Select, Slider, UnstyledButton } from "@mantine/core";
import type { HistogramName, Profile } from "../../api/client";
import { binsOf } from "../../features/profile/bins";
import { plainOf } from "../../features/profile/words";
import { HistogramSparkline } from "../../shared/chart/histogram/HistogramPlot";
import { hasFullness, isWorkload, workloads } from "../../shared/goal";
import { fullnessKinds } from "../../shared/modes";
import { moreNames, type More, describe } from "../../shared/settings";
import { formatFraction, fraction } from "../../shared/units";
import { ChoiceField } from "./ChoiceField";
import classes from "./AgeDialog.module.css";
import type { Goal } from "./goal";
import { ReplayFields } from "./ReplayFields";
import { SettingField } from "./SettingField";

const LOWEST = 1;
const HIGHEST = 95;
const names: readonly HistogramName[] = ["size", "depth", "age"];

function AccuracyLine({ max_rmse, onClear }: { max_rmse: number; onClear: () => void }) {
  return (
    <p className={classes.description}>
      Stops at an age RMSE of {formatFraction(fraction(max_rmse)).text}, as picked on the curve.{" "}
      <UnstyledButton className="patina-link" fz={13} td="underline" onClick={onClear}>
        Age exactly instead
      </UnstyledButton>
    </p>
  );
}

function ProfileSketch({ profile }: { profile: Profile }) {
  const bins = binsOf(profile.latest_version);
  return (
    <>
      <p className={classes.description}>{plainOf(profile.description)}</p>
      <div className={classes.sparklines}>
        {names.map((name) => (
          <span key={name}>
            <HistogramSparkline axis={name} bins={bins[name]} label={name} />
            <span aria-hidden>{name}</span>
          </span>
        ))}
      </div>
    </>
  );
}

/** Marks the names of workloads, which share a field with names of profiles. */
const ofWorkload = "workload ";

function GoalChoice({ goal, profiles, onChange }: Pick<Props, "goal" | "profiles" | "onChange">) {
  const chosen = profiles.find(({ name }) => name === goal.profile);
  const choose = (value: string | null) => {
    if (value === null) return;
    const workload = value.startsWith(ofWorkload) ? value.slice(ofWorkload.length) : null;
    if (isWorkload(workload)) onChange({ ...goal, profile: null, workload });
    else onChange({ ...goal, profile: value, workload: null });
  };
  return (
    <div>
      <Select
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
      {chosen !== undefined && <ProfileSketch profile={chosen} />}
      {goal.workload !== null && (
        <p className={classes.description}>{workloads[goal.workload].description}</p>
      )}
    </div>
  );
}

function FullnessFields({ goal, onChange }: Pick<Props, "goal" | "onChange">) {
  const percent = Math.round(goal.fullness * 100);
  const setPercent = (value: number) => {
    const held = Math.min(HIGHEST, Math.max(LOWEST, Math.round(value)));
    onChange({ ...goal, fullness: held / 100 });
  };
  return (
    <div className={classes.fullness}>
      <Slider
        value={percent}
        onChange={setPercent}
        min={LOWEST}
        max={HIGHEST}
        label={null}
        thumbLabel="Fullness"
      />
      <NumberInput
        label="Fullness"
        value={percent}
        onChange={(value) => typeof value === "number" && setPercent(value)}
        min={LOWEST}
        max={HIGHEST}
        suffix=" %"
        allowDecimal={false}
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
      {workload === null && goal.max_rmse !== null && (
        <AccuracyLine max_rmse={goal.max_rmse} onClear={() => onChange({ ...goal, max_rmse: null })} />
      )}
    </div>
  );
}
