// Fields for the stop conditions of a run.
import { NumberInput, Radio, Stack } from "@mantine/core";
import type { StopConditions } from "../../../api/client";

type Budget = "converge" | "max_rmse" | "max_overwrites";
type Typed = number | string;

export interface Draft {
  budget: Budget;
  rmse_percent: Typed;
  overwrites: Typed;
  minutes: Typed;
}

const DEFAULT_RMSE_PERCENT = 1;
const DEFAULT_OVERWRITES = 2;
const SECONDS_A_MINUTE = 60;

export function draftOf({ max_rmse, max_overwrites, max_seconds }: StopConditions): Draft {
  return {
    budget: max_rmse != null ? "max_rmse" : max_overwrites != null ? "max_overwrites" : "converge",
    rmse_percent: max_rmse != null ? max_rmse * 100 : DEFAULT_RMSE_PERCENT,
    overwrites: max_overwrites ?? DEFAULT_OVERWRITES,
    minutes: max_seconds != null ? max_seconds / SECONDS_A_MINUTE : "",
  };
}

const positive = (value: Typed): number | null => (typeof value === "number" && value > 0 ? value : null);

/** Returns the conditions; null while a chosen field contains no valid value. */
export function conditionsOf({ budget, rmse_percent, overwrites, minutes }: Draft): StopConditions | null {
  const limit = positive(minutes);
  const max_rmse = budget === "max_rmse" ? positive(rmse_percent) : null;
  const max_overwrites = budget === "max_overwrites" ? positive(overwrites) : null;
  if (budget === "max_rmse" && max_rmse === null) return null;
  if (budget === "max_overwrites" && max_overwrites === null) return null;
  return {
    max_rmse: max_rmse === null ? null : max_rmse / 100,
    max_overwrites,
    max_seconds: limit === null ? null : limit * SECONDS_A_MINUTE,
  };
}

interface FieldsProps {
  draft: Draft;
  /** Whether the run has a plan; a workload has a time limit only. */
  isPlanned?: boolean;
  onChange: (change: Partial<Draft>) => void;
}

function BudgetFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <Radio.Group label="Age until" value={draft.budget} onChange={(budget) => onChange({ budget })}>
        <Stack gap="xs" mt="xs">
          <Radio value="converge" label="every age is met as exactly as whole files allow" />
          <Radio value="max_rmse" label="the age RMSE is good enough" />
          <Radio value="max_overwrites" label="enough was written" />
        </Stack>
      </Radio.Group>
      {draft.budget === "max_rmse" && (
        <NumberInput
          label="Age RMSE"
          value={draft.rmse_percent}
          onChange={(rmse_percent) => onChange({ rmse_percent })}
          min={0}
          max={100}
          decimalScale={4}
          suffix=" %"
        />
      )}
      {draft.budget === "max_overwrites" && (
        <NumberInput
          label="Overwrites"
          description="Approximate number of times the capacity is written"
          value={draft.overwrites}
          onChange={(overwrites) => onChange({ overwrites })}
          min={0}
          decimalScale={2}
        />
      )}
    </>
  );
}

export function StopConditionsFields({ draft, isPlanned = true, onChange }: FieldsProps) {
  return (
    <>
      {isPlanned && <BudgetFields draft={draft} onChange={onChange} />}
      <NumberInput
        label="Time limit"
        description="Minutes of aging; pauses do not count. Empty: no limit"
        value={draft.minutes}
        onChange={(minutes) => onChange({ minutes })}
        min={0}
        decimalScale={1}
        suffix=" min"
      />
    </>
  );
}
