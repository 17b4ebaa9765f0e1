// Fields for the options of mkfs and mount that are added to those of Patina.
import { TextInput, VisuallyHidden } from "@mantine/core";
import type { RunCreate } from "../../api/client";
import { describe, optionNames, titleOfSetting, type OptionName } from "../../shared/settings";
import classes from "./AgeDialog.module.css";

export type Options = Required<Pick<RunCreate, OptionName>>;
export const noOptions: Options = { added_mkfs_options: "", added_mount_options: "" };

/** Returns the options of an earlier run. */
export function optionsOf(run: Pick<RunCreate, OptionName>): Options {
  return {
    added_mkfs_options: run.added_mkfs_options ?? "",
    added_mount_options: run.added_mount_options ?? "",
  };
}

/** Returns what is wrong with the text, before it is sent; null where only the server can say. */
export function problemOf(name: OptionName, text: string): string | null {
  const { pattern = "", maxLength = Infinity } = describe(name);
  if (text.length > maxLength) return `At most ${maxLength} characters`;
  return new RegExp(pattern).test(text) ? null : "Only letters, digits, spaces and , = : ^ _ . -";
}

export function areWhole(options: Options): boolean {
  return optionNames.every((name) => problemOf(name, options[name]) === null);
}

interface Props {
  options: Options;
  onChange: (options: Options) => void;
  /** The device in the accessible names, where there are several such fields. */
  of?: string;
}

export function OptionFields({ options, onChange, of }: Props) {
  const count = optionNames.filter((name) => options[name].trim() !== "").length;
  return (
    <details className={classes.more}>
      <summary>
        Options of mkfs and mount
        {of !== undefined && <VisuallyHidden> on {of}</VisuallyHidden>}
        {count > 0 && ` (${count} added)`}
      </summary>
      <div className={classes.fields}>
        <p className={count > 0 ? classes.warning : classes.description}>
          They change the layout, and the forecast does not count with them. They are in the recipe: only runs
          with the same options compare. They are tried on a scratch file before the device is written to.
        </p>
        {optionNames.map((name) => (
          <TextInput
            key={name}
            label={titleOfSetting(name)}
            aria-label={of === undefined ? undefined : `${titleOfSetting(name)} on ${of}`}
            description={describe(name).description}
            value={options[name]}
            error={problemOf(name, options[name])}
            onChange={(event) => onChange({ ...options, [name]: event.currentTarget.value })}
            classNames={{ input: "mono" }}
            autoComplete="off"
            spellCheck={false}
          />
        ))}
      </div>
    </details>
  );
}
