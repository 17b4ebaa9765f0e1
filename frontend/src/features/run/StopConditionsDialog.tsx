// Other stop conditions for a run on its way. They are in force when the core has revised its plan.
import { Button, Group, Modal, NumberInput, Radio, Stack } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Run, StopConditions } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useChangeStopConditions } from "./queries";

type Budget = "converge" | "max_rmse" | "max_overwrites";
type Typed = number | string;

interface Draft {
  budget: Budget;
  rmse_percent: Typed;
  overwrites: Typed;
  minutes: Typed;
}

const DEFAULT_RMSE_PERCENT = 1;
const DEFAULT_OVERWRITES = 2;
const SECONDS_A_MINUTE = 60;

function draftOf({ max_rmse, max_overwrites, max_seconds }: StopConditions): Draft {
  return {
    budget: max_rmse != null ? "max_rmse" : max_overwrites != null ? "max_overwrites" : "converge",
    rmse_percent: max_rmse != null ? max_rmse * 100 : DEFAULT_RMSE_PERCENT,
    overwrites: max_overwrites ?? DEFAULT_OVERWRITES,
    minutes: max_seconds != null ? max_seconds / SECONDS_A_MINUTE : "",
  };
}

const positive = (value: Typed): number | null => (typeof value === "number" && value > 0 ? value : null);

/** Null while a field that is chosen holds nothing that can be meant. */
function conditionsOf({ budget, rmse_percent, overwrites, minutes }: Draft): StopConditions | null {
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
          description="How often the capacity is written, about"
          value={draft.overwrites}
          onChange={(overwrites) => onChange({ overwrites })}
          min={0}
          decimalScale={2}
        />
      )}
    </>
  );
}

export function StopConditionsDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const change = useChangeStopConditions(run.id);
  const [draft, setDraft] = useState(() => draftOf(run.asked_conditions ?? run));
  const conditions = conditionsOf(draft);
  const onChange = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (conditions !== null) change.mutate(conditions, { onSuccess: onClose });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={`When run ${run.id} stops`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <BudgetFields draft={draft} onChange={onChange} />
          <NumberInput
            label="At the latest after"
            description="Minutes of aging; pauses do not count. Empty: however long it takes"
            value={draft.minutes}
            onChange={(minutes) => onChange({ minutes })}
            min={0}
            decimalScale={1}
            suffix=" min"
          />
          <p className="patina-quiet">
            The plan is revised from where the run is; what was done is not lost.
          </p>
          {change.isError && <RefusalNotice error={change.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Leave it
            </Button>
            <Button type="submit" disabled={conditions === null} loading={change.isPending}>
              Change it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
