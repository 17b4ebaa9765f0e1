// A field for a whole number.
import { NumberInput } from "@mantine/core";

interface Props {
  label: string;
  description?: string;
  least: number;
  most: number;
  value: number;
  onChange: (value: number) => void;
  width?: number;
}

export function CountField({ label, description, least, most, value, onChange, width }: Props) {
  return (
    <NumberInput
      label={label}
      description={description}
      min={least}
      max={most}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="blur"
      value={value}
      onChange={(changed) => typeof changed === "number" && onChange(changed)}
      {...(width !== undefined && { w: width })}
    />
  );
}
