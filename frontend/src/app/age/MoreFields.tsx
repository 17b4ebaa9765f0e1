// What else can be asked of a run: a field for each setting that has none of its own, by its range in the API's document.
import { NumberInput, Select } from "@mantine/core";
import type { AgingMode } from "../../shared/modes";
import {
  describe,
  isFraction,
  moreNames,
  titleOfSetting,
  unitOf,
  unusual,
  type More,
  type MoreName,
} from "../../shared/settings";
import classes from "./AgeDialog.module.css";

interface FieldProps {
  name: MoreName;
  value: unknown;
  disabled: boolean;
  onChange: (value: number | string | null) => void;
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

/** An empty field asks for nothing: it is as usual. */
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
      placeholder={typeof usual === "number" ? `${usual * scale}${unitOf(name)}` : "As usual"}
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

interface Props {
  more: More;
  mode: AgingMode;
  onChange: (more: More) => void;
}

export function MoreFields({ more, mode, onChange }: Props) {
  const set = (name: MoreName, value: number | string | null) => {
    const { [name]: _, ...others } = more;
    onChange(value === null ? others : { ...others, [name]: value });
  };
  const count = unusual(more).length;
  return (
    <details className={classes.more}>
      <summary>More{count > 0 && ` (${count} not as usual)`}</summary>
      <div className={classes.settings}>
        {moreNames.map((name) => {
          const Field = describe(name).enum === undefined ? NumberSetting : ChoiceSetting;
          return (
            <Field
              key={name}
              name={name}
              value={more[name]}
              disabled={name === "threads_count" && mode !== "unbounded"}
              onChange={(value) => set(name, value)}
            />
          );
        })}
      </div>
    </details>
  );
}

/** What of it the chosen mode takes: the number of writers is asked for in one mode alone. */
export function moreFor(mode: AgingMode, more: More): More {
  const { threads_count, ...others } = more;
  return mode === "unbounded" && threads_count != null ? { ...others, threads_count } : others;
}

/** What of it makes another plan. */
export function planOf({
  size_draw,
  append_fraction,
  overwrite_fraction,
  truncate_fraction,
  rename_fraction,
  punch_hole_fraction,
  max_overwrites,
}: More) {
  const all = {
    size_draw,
    append_fraction,
    overwrite_fraction,
    truncate_fraction,
    rename_fraction,
    punch_hole_fraction,
    max_overwrites,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value != null));
}
