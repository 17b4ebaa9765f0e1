// The conditions of the list of runs.
import { Button, Checkbox, MultiSelect, TagsInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { tagsIn } from "../../../shared/tags";
import { SearchField } from "../../../shared/ui/SearchField";
import classes from "./RunFilters.module.css";
import { fixedOptions, listNames, searchOf, titles, type Option, type RunsSearch } from "./search";
import { chosenOf, conditionsCount, withChosen, withoutConditions } from "./words";

/** The values to choose from, of other features. A condition without an entry here takes any text. */
export type Options = Partial<Record<(typeof listNames)[number], readonly Option[]>>;

interface Props {
  search: RunsSearch;
  options: Options;
  /** Values to choose from for a condition that takes any text. */
  suggestions: Partial<Record<(typeof listNames)[number], readonly string[]>>;
  onChange: (search: RunsSearch) => void;
}

const instantly = {
  comboboxProps: { transitionProps: { duration: 0 } },
  size: "xs",
  clearable: true,
} as const;

type ConditionProps = Props & { name: (typeof listNames)[number] };

function Condition({ name, search, options, suggestions, onChange }: ConditionProps) {
  const chosen = chosenOf(search, name);
  const change = (values: readonly string[]) => onChange(withChosen(search, name, values));
  const known = fixedOptions[name] ?? options[name];
  if (known === undefined)
    return (
      <TagsInput
        {...instantly}
        label={titles[name]}
        placeholder={chosen.length > 0 ? "" : name === "batch_id" ? "Number, then Enter" : "Tag, then Enter"}
        data={suggestions[name] ?? []}
        value={chosen}
        onChange={(typed) => change(tagsIn(typed))}
        acceptValueOnBlur
      />
    );
  const missing = chosen.filter((value) => !known.some((option) => option.value === value));
  const data = [...known, ...missing.map((value) => ({ value, label: value }))];
  return (
    <MultiSelect
      {...instantly}
      label={titles[name]}
      placeholder={chosen.length === 0 ? "Any" : ""}
      data={data}
      value={chosen}
      onChange={change}
      searchable={data.length > 8}
    />
  );
}

function Days({ search, onChange }: Pick<Props, "search" | "onChange">) {
  const change = (day: { since: string } | { until: string }) => onChange(searchOf({ ...search, ...day }));
  return (
    <>
      <TextInput
        type="date"
        size="xs"
        label="From"
        value={search.since ?? ""}
        onChange={(event) => change({ since: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        size="xs"
        label="To"
        value={search.until ?? ""}
        onChange={(event) => change({ until: event.currentTarget.value })}
      />
    </>
  );
}

export function RunFilters({ search, options, suggestions, onChange }: Props) {
  const count = conditionsCount(search);
  const [isShown, setShown] = useState(conditionsCount({ ...search, q: "" }) > 0);
  return (
    <div>
      <div className={classes.bar}>
        <SearchField
          label="Search runs"
          placeholder="Name or tag"
          value={search.q ?? ""}
          onChange={(q) => onChange(searchOf({ ...search, q }))}
        />
        <Button
          variant="default"
          size="compact-sm"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? "Hide filters" : count === 0 ? "Show filters" : `Show filters (${count})`}
        </Button>
        <Checkbox
          size="xs"
          label="Group by batch"
          checked={search.grouped ?? false}
          onChange={(event) => onChange(searchOf({ ...search, grouped: event.currentTarget.checked }))}
        />
        {count > 0 && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChange(withoutConditions(search))}>
            Clear filters
          </Button>
        )}
      </div>
      {isShown && (
        <div className={classes.filters} role="group" aria-label="Filters">
          {listNames.map((name) => (
            <Condition key={name} name={name} {...{ search, options, suggestions, onChange }} />
          ))}
          <Days search={search} onChange={onChange} />
          <Checkbox
            size="xs"
            label="Archived runs"
            checked={search.archived ?? false}
            onChange={(event) => onChange(searchOf({ ...search, archived: event.currentTarget.checked }))}
          />
        </div>
      )}
    </div>
  );
}
