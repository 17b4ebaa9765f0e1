// Fields of every new sandbox device: its medium, its host and when it expires.
import { SegmentedControl, Select } from "@mantine/core";
import type { Host } from "../../api/client";
import type { Medium } from "./queries";
import classes from "./SandboxForm.module.css";

const HOUR_S = 3_600;
const lives = [
  { value: "", label: "Never" },
  { value: String(HOUR_S), label: "After an hour" },
  { value: String(24 * HOUR_S), label: "After a day" },
  { value: String(7 * 24 * HOUR_S), label: "After a week" },
];

interface MediumProps {
  medium: Medium;
  onChange: (medium: Medium) => void;
}

export function MediumChoice({ medium, onChange }: MediumProps) {
  return (
    <div>
      <SegmentedControl
        aria-label="Medium"
        data={[
          { value: "file", label: "In a file" },
          { value: "memory", label: "In memory" },
        ]}
        value={medium}
        onChange={(value) => onChange(value === "memory" ? "memory" : "file")}
      />
      <p className={classes.hint}>
        {medium === "file" ? "Survives a restart of the host." : "Fastest; lost when the host restarts."}
      </p>
    </div>
  );
}

interface HostSelectProps {
  hosts: readonly Host[];
  name: string | null;
  onChange: (name: string | null) => void;
}

/** A choice of host, shown where there are several. */
export function HostSelect({ hosts, name, onChange }: HostSelectProps) {
  if (hosts.length < 2) return null;
  return (
    <Select
      label="Host"
      data={hosts.map((host) => ({
        value: host.name,
        label: host.is_healthy ? host.name : `${host.name}, silent`,
        disabled: !host.is_healthy,
      }))}
      value={name}
      onChange={onChange}
      placeholder="The server's host"
      clearable
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}

export function LifeSelect({ life, onChange }: { life: string; onChange: (life: string) => void }) {
  return (
    <Select
      label="Expires"
      data={lives}
      value={life}
      onChange={(value) => onChange(value ?? "")}
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}
