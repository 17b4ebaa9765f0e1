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
  disabled: boolean;
  onChange: (value: Value) => void;
}

function ChoiceSetting({ name, value, disabled, onChange }: FieldProps) {
  const { enum: choices = [], description, default: usual } = describe(name);
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
function NumberSetting({ name, value, disabled, onChange }: FieldProps) {
  const { type, description, default: usual, ...range } = describe(name);
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

function SwitchSetting({ name, value, disabled, onChange }: FieldProps) {
  return (
    <Checkbox
      label={titleOfSetting(name)}
      description={describe(name).description}
      checked={value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
      disabled={disabled}
    />
  );
}

interface Props {
  name: MoreName;
  more: More;
  disabled?: boolean;
  onChange: (more: More) => void;
}

export function SettingField({ name, more, disabled = false, onChange }: Props) {
  const { type, enum: choices } = describe(name);
  const set = (value: Value) => {
    const { [name]: _, ...others } = more;
    onChange(value === null ? others : { ...others, [name]: value });
  };
  const field = { name, value: more[name], disabled, onChange: set };
  if (type === "boolean") return <SwitchSetting {...field} />;
  return choices === undefined ? <NumberSetting {...field} /> : <ChoiceSetting {...field} />;
}
