// The filters of the panel: kind, host, device and state.
import { Select } from "@mantine/core";
import type { Device, Host, JobState } from "../../api/client";
import { toneOf } from "../../shared/job";
import classes from "./Filters.module.css";
import type { Filter } from "./queries";
import { titles } from "./words";

interface Props {
  filter: Filter;
  hosts: readonly Host[];
  devices: readonly Device[];
  onChange: (filter: Filter) => void;
}

const kinds = Object.entries(titles).map(([value, label]) => ({ value, label }));

function isState(word: string): word is JobState {
  return word in toneOf;
}

/** Returns the filter without unset criteria. */
function withOnly(filter: Filter, changes: { [Name in keyof Filter]: Filter[Name] | undefined }): Filter {
  const all = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(all);
}

export function Filters({ filter, hosts, devices, onChange }: Props) {
  const shared = {
    size: "xs",
    clearable: true,
    comboboxProps: { transitionProps: { duration: 0 } },
  } as const;
  return (
    <div className={classes.filters} role="group" aria-label="Show only">
      <Select
        {...shared}
        label="Kind"
        placeholder="All"
        data={kinds}
        value={filter.kind ?? null}
        onChange={(kind) => onChange(withOnly(filter, { kind: kind ?? undefined }))}
      />
      <Select
        {...shared}
        label="State"
        placeholder="All"
        data={Object.keys(toneOf)}
        value={filter.state ?? null}
        onChange={(word) =>
          onChange(withOnly(filter, { state: word !== null && isState(word) ? word : undefined }))
        }
      />
      <Select
        {...shared}
        label="Device"
        placeholder="All"
        data={devices.map(({ id, path, stable_id }) => ({ value: String(id), label: path ?? stable_id }))}
        value={filter.device_id === undefined ? null : String(filter.device_id)}
        onChange={(id) => onChange(withOnly(filter, { device_id: id === null ? undefined : Number(id) }))}
      />
      {hosts.length > 1 && (
        <Select
          {...shared}
          label="Host"
          placeholder="All"
          data={hosts.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={filter.host_id === undefined ? null : String(filter.host_id)}
          onChange={(id) => onChange(withOnly(filter, { host_id: id === null ? undefined : Number(id) }))}
        />
      )}
    </div>
  );
}
