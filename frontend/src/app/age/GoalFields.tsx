// What to age to: a profile and a fullness.
import { NumberInput, Select, Slider, UnstyledButton } from "@mantine/core";
import type { HistogramName, Profile } from "../../api/client";
import { binsOf } from "../../features/profile/bins";
import { plainOf } from "../../features/profile/words";
import { HistogramSparkline } from "../../shared/chart/HistogramPlot";
import { type FullnessOf, fullnessKinds } from "../../shared/modes";
import { formatFraction, fraction } from "../../shared/units";
import { ChoiceField } from "./ChoiceField";
import classes from "./AgeDialog.module.css";

export interface Goal {
  profile: string;
  fullness: number;
  fullness_of: FullnessOf;
  /** How exactly the ages are to be met; null for as exactly as whole files allow. */
  max_rmse: number | null;
}

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

interface Props {
  goal: Goal;
  profiles: readonly Profile[];
  onChange: (goal: Goal) => void;
}

export function GoalFields({ goal, profiles, onChange }: Props) {
  const chosen = profiles.find(({ name }) => name === goal.profile);
  const percent = Math.round(goal.fullness * 100);
  const setPercent = (value: number) => {
    const held = Math.min(HIGHEST, Math.max(LOWEST, Math.round(value)));
    onChange({ ...goal, fullness: held / 100 });
  };
  return (
    <div className={classes.fields}>
      <div>
        <Select
          label="Profile"
          data={profiles.map(({ name, title }) => ({ value: name, label: title }))}
          value={goal.profile}
          onChange={(value) => value !== null && onChange({ ...goal, profile: value })}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
          data-autofocus
        />
        {chosen !== undefined && <ProfileSketch profile={chosen} />}
      </div>
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
      <ChoiceField
        label="Fullness of"
        choices={fullnessKinds}
        value={goal.fullness_of}
        onChange={(fullness_of) => onChange({ ...goal, fullness_of })}
      />
      {goal.max_rmse !== null && (
        <AccuracyLine max_rmse={goal.max_rmse} onClear={() => onChange({ ...goal, max_rmse: null })} />
      )}
    </div>
  );
}
