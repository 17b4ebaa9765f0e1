// The further fields of the modelled disk: a RAID of several, and a stretch over all of it.
import { Checkbox, NumberInput } from "@mantine/core";
import { useState } from "react";
import { ChoiceField } from "../../../shared/ui/ChoiceField";
import classes from "./EmulateDialog.module.css";
import { MOST_DISKS, MOST_PIECES, usualModelled, type ModelledDraft, type ModelledField } from "./modelled";
import { below, raids } from "./words";

interface Props {
  draft: ModelledDraft;
  problems: Partial<Record<ModelledField, string>>;
  onChange: (part: Partial<ModelledDraft>) => void;
}

interface NumberProps {
  label: string;
  description: string;
  value: number | null;
  most: number;
  error: string | undefined;
  onNumber: (value: number | null) => void;
}

function WholeNumber({ value, most, onNumber, ...props }: NumberProps) {
  return (
    <NumberInput
      {...props}
      {...below}
      value={value ?? ""}
      onChange={(typed) => onNumber(typeof typed === "number" ? typed : null)}
      min={2}
      max={most}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
    />
  );
}

export function ModelledFields({ draft, problems, onChange }: Props) {
  // What was opened by a problem stays open once that is corrected.
  const [isOpen, setOpen] = useState(false);
  const { raid, stretches } = draft;
  const count = [raid !== usualModelled.raid, stretches !== usualModelled.stretches].filter(Boolean).length;
  const isWrong = problems.disks_count !== undefined || problems.pieces_count !== undefined;
  return (
    <details open={isOpen || isWrong} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Several disks, longer seeks{count > 0 && ` (${count} changed)`}</summary>
      <div className={classes.more}>
        <ChoiceField
          label="Disks"
          choices={raids}
          value={raid}
          onChange={(chosen) => onChange({ raid: chosen })}
        />
        {raid !== "none" && (
          <WholeNumber
            label="Number of disks"
            description="Data are stored once: only the times are those of the RAID."
            value={draft.disks_count}
            most={MOST_DISKS}
            error={problems.disks_count}
            onNumber={(disks_count) => onChange({ disks_count })}
          />
        )}
        <Checkbox
          label="Stretch over the whole modelled disk"
          description="The disk is divided into pieces that lie apart, so that seeks are as long as on the whole disk."
          checked={stretches}
          onChange={(event) => onChange({ stretches: event.currentTarget.checked })}
        />
        {stretches && (
          <WholeNumber
            label="Pieces"
            description={`From 2 to ${MOST_PIECES}, of equal size.`}
            value={draft.pieces_count}
            most={MOST_PIECES}
            error={problems.pieces_count}
            onNumber={(pieces_count) => onChange({ pieces_count })}
          />
        )}
      </div>
    </details>
  );
}
