// A field for one of a few choices, with the meaning of the chosen one below.
import { Select, Text } from "@mantine/core";

interface Props<T extends string> {
  label: string;
  choices: Record<T, { label: string; description: string }>;
  value: T;
  onChange: (value: T) => void;
  /** Further notes on the chosen one. */
  notes?: readonly string[];
  isRefused?: (choice: T) => boolean;
  error?: string | false | null;
}

function isChoice<T extends string>(choices: Record<T, unknown>, value: string | null): value is T {
  return value !== null && value in choices;
}

export function ChoiceField<T extends string>({
  label,
  choices,
  value,
  onChange,
  notes = [],
  isRefused = () => false,
  error,
}: Props<T>) {
  return (
    <Select
      label={label}
      description={[choices[value].description, ...notes].map((line) => (
        <Text key={line} span inherit display="block">
          {line}
        </Text>
      ))}
      descriptionProps={{ fz: 13 }}
      inputWrapperOrder={["label", "input", "error", "description"]}
      data={Object.entries<{ label: string }>(choices).map(([name, choice]) => ({
        value: name,
        label: choice.label,
        disabled: isChoice(choices, name) && isRefused(name),
      }))}
      error={error}
      value={value}
      onChange={(chosen) => isChoice(choices, chosen) && onChange(chosen)}
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
