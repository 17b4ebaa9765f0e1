// One of a few choices, with what the chosen one means below it.
import { Select } from "@mantine/core";

interface Props<T extends string> {
  label: string;
  choices: Record<T, { label: string; description: string }>;
  value: T;
  onChange: (value: T) => void;
  refused?: T;
  error?: string | false | null;
}

function isChoice<T extends string>(choices: Record<T, unknown>, value: string | null): value is T {
  return value !== null && value in choices;
}

export function ChoiceField<T extends string>({ label, choices, value, onChange, refused, error }: Props<T>) {
  return (
    <Select
      label={label}
      description={choices[value].description}
      descriptionProps={{ fz: 13 }}
      inputWrapperOrder={["label", "input", "error", "description"]}
      data={Object.entries<{ label: string }>(choices).map(([name, choice]) => ({
        value: name,
        label: choice.label,
        disabled: name === refused,
      }))}
      error={error}
      value={value}
      onChange={(chosen) => isChoice(choices, chosen) && onChange(chosen)}
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
