// The choice of several devices to age together; none is chosen at first.
import { Button, Checkbox } from "@mantine/core";
import type { Device } from "../../api/client";
import { nameOf } from "../../shared/device";
import { RUNS_LIMIT } from "../../features/run/compare/runIds";
import { ChosenBar } from "../../shared/ui/ChosenBar";
import { mayAge } from "./mayAge";

interface ChoiceProps {
  device: Device;
  chosen: readonly number[];
  onChoose: (chosen: readonly number[]) => void;
}

export function DeviceChoice({ device, chosen, onChoose }: ChoiceProps) {
  const isChosen = chosen.includes(device.id);
  const others = chosen.filter((id) => id !== device.id);
  return (
    <Checkbox
      size="xs"
      label="Choose"
      aria-label={`Choose ${nameOf(device)}`}
      checked={isChosen}
      disabled={!mayAge(device) || (!isChosen && chosen.length >= RUNS_LIMIT)}
      onChange={() => onChoose(isChosen ? others : [...others, device.id])}
    />
  );
}

interface BarProps {
  chosen: readonly number[];
  onAge: () => void;
  onCancel: () => void;
}

export function ChosenDevices({ chosen, onAge, onCancel }: BarProps) {
  const most = chosen.length === RUNS_LIMIT ? ", the most that one page compares" : "";
  return (
    <ChosenBar
      label="Chosen devices"
      sentence={
        chosen.length === 0
          ? `Choose 2 to ${RUNS_LIMIT} devices to age to one goal, each with its own file system.`
          : `${chosen.length} chosen${most}.`
      }
    >
      <Button variant="subtle" onClick={onCancel}>
        Cancel
      </Button>
      <Button disabled={chosen.length < 2} onClick={onAge}>
        {chosen.length < 2 ? "Age devices" : `Age ${chosen.length} devices`}
      </Button>
    </ChosenBar>
  );
}
