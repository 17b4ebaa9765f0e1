// A field for the seed of what is drawn at random.
import { NumberInput, type NumberInputProps } from "@mantine/core";
import { MOST_SEED } from "./draft";

interface Props extends Omit<NumberInputProps, "value" | "onChange"> {
  seed: number | null;
  onSeed: (seed: number | null) => void;
}

export function SeedField({ seed, onSeed, ...props }: Props) {
  return (
    <NumberInput
      label="Seed"
      {...props}
      value={seed ?? ""}
      onChange={(typed) => onSeed(typeof typed === "number" ? typed : null)}
      min={0}
      max={MOST_SEED}
      clampBehavior="strict"
      allowDecimal={false}
      allowNegative={false}
    />
  );
}
