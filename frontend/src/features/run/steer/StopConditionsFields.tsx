// Fields for the stop conditions of a run, and of an extension.
import { NumberInput, Radio, Stack } from "@mantine/core";
import type { ExtensionCreate, StopConditions } from "../../../api/client";
import { count, formatCount } from "../../../shared/units";

type Budget = "converge" | "max_rmse" | "max_overwrites" | "exact";
type Typed = number | string;

export interface Draft {
  budget: Budget;
  rmse_percent: Typed;
  overwrites: Typed;
  /** Operations in all; of an extension only. */
  ops: Typed;
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
    ops: "",
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

/** Returns the conditions of an extension, which may have an exact number of operations. */
export function extensionOf(
  draft: Draft,
  least_ops_count: number,
): Omit<ExtensionCreate, "confirmation"> | null {
  const conditions = conditionsOf(draft);
  if (conditions === null || draft.budget !== "exact") return conditions;
  const exact_ops_count = positive(draft.ops);
  return exact_ops_count === null || exact_ops_count < least_ops_count
    ? null
    : { ...conditions, exact_ops_count };
}

interface FieldsProps {
  draft: Draft;
  /** The operations that the extended run has made; for an extension only. */
  made_ops_count?: number;
  /** Whether these operations have met the ages: then only more of them are a choice. */
  isConverged?: boolean;
  /** Whether the run has a plan; a workload has a time limit only. */
  isPlanned?: boolean;
  onChange: (change: Partial<Draft>) => void;
}

function BudgetFields({ draft, made_ops_count, isConverged = false, onChange }: FieldsProps) {
  return (
    <>
      {!isConverged && (
        <Radio.Group label="Age until" value={draft.budget} onChange={(budget) => onChange({ budget })}>
          <Stack gap="xs" mt="xs">
            <Radio value="converge" label="every age is met as exactly as whole files allow" />
            <Radio value="max_rmse" label="the age RMSE is good enough" />
            <Radio value="max_overwrites" label="enough was written" />
            {made_ops_count !== undefined && (
              <Radio value="exact" label="a number of operations is made, also after the ages are met" />
            )}
          </Stack>
        </Radio.Group>
      )}
      {draft.budget === "exact" && made_ops_count !== undefined && (
        <NumberInput
          label="Operations in all"
          description={`More than the ${formatCount(count(made_ops_count)).exact} that were made`}
          value={draft.ops}
          onChange={(ops) => onChange({ ops })}
          min={made_ops_count + 1}
          clampBehavior="none"
          error={
            typeof draft.ops === "number" &&
            draft.ops <= made_ops_count &&
            "Choose more operations than were made"
          }
          allowDecimal={false}
          thousandSeparator=","
        />
      )}
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

export function StopConditionsFields({ isPlanned = true, ...props }: FieldsProps) {
  const { draft, onChange } = props;
  return (
    <>
      {isPlanned && <BudgetFields {...props} />}
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
