// A field for a setting without a field of its own, built from the API's document.
import { Checkbox, NumberInput, Select } from "@mantine/core";
import {
  describe,
  isFraction,
  titleOfSetting,
  unitOf,
  type More,
  type MoreName,
} from "../../shared/settings";

type Value = number | string | boolean | null;

interface FieldProps {
  name: MoreName;
  value: unknown;
  description: string | undefined;
  disabled: boolean;
  onChange: (value: Value) => void;
}

function ChoiceSetting({ name, value, description, disabled, onChange }: FieldProps) {
  const { enum: choices = [], default: usual } = describe(name);
  return (
    <Select
      label={titleOfSetting(name)}
      description={description}
      data={choices.map((choice) => ({ value: choice, label: choice.replaceAll("_", " ") }))}
      value={String(value ?? usual)}
      onChange={(chosen) => onChange(chosen)}
      allowDeselect={false}
      disabled={disabled}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}

/** An empty field means the default. */
function NumberSetting({ name, value, description, disabled, onChange }: FieldProps) {
  const { type, default: usual, ...range } = describe(name);
  const scale = isFraction(name) ? 100 : 1;
  const least = range.minimum ?? range.exclusiveMinimum;
  const most =
    range.maximum ?? (range.exclusiveMaximum === undefined ? undefined : range.exclusiveMaximum - 1);
  return (
    <NumberInput
      label={titleOfSetting(name)}
      description={description}
      placeholder={typeof usual === "number" ? `${usual * scale}${unitOf(name)}` : "Default"}
      value={typeof value === "number" ? Number((value * scale).toPrecision(15)) : ""}
      onChange={(typed) => onChange(typeof typed === "number" ? typed / scale : null)}
      {...(least !== undefined && { min: least * scale })}
      {...(most !== undefined && { max: most * scale })}
      suffix={unitOf(name)}
      allowDecimal={type === "number"}
      disabled={disabled}
    />
  );
}

function SwitchSetting({ name, value, description, disabled, onChange }: FieldProps) {
  return (
    <Checkbox
      label={titleOfSetting(name)}
      description={description}
      checked={value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
      disabled={disabled}
    />
  );
}

interface Props {
  name: MoreName;
  more: More;
  /** Null where the setting can be changed. */
  whyDisabled?: string | null;
  onChange: (more: More) => void;
}

export function SettingField({ name, more, whyDisabled = null, onChange }: Props) {
  const { type, enum: choices, description: meaning } = describe(name);
  const description = whyDisabled ?? meaning;
  const set = (value: Value) => {
    const { [name]: _, ...others } = more;
    onChange(value === null ? others : { ...others, [name]: value });
  };
  const field = { name, value: more[name], description, disabled: whyDisabled !== null, onChange: set };
  if (type === "boolean") return <SwitchSetting {...field} />;
  return choices === undefined ? <NumberSetting {...field} /> : <ChoiceSetting {...field} />;
}
