// The choice of workloads: built in, programs, git aging, and the user's own.
import { Button, Checkbox, CloseButton, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { TrialWorkload } from "../../api/client";
import { devicesQuery } from "../../features/device/queries";
import { hostsQuery } from "../../features/host/queries";
import { workloadsQuery } from "../../features/trial/queries";
import { nameOfWorkload, programs } from "../../features/trial/words";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { GitFields } from "./GitFields";
import classes from "./NewTrial.module.css";
import { OwnCommand } from "./OwnCommand";
import { OwnWorkload } from "./OwnWorkload";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
}

const ownKinds: Partial<Record<TrialWorkload["kind"], string>> = {
  personality: "Filebench specification",
  fio: "fio job",
  command: "command of the host",
  git: "git aging",
  postmark: "PostMark program",
};

/** Returns the programs that trials may run on the device's host; without a device, on any host. */
function useCommands(device_id: number | null): string[] {
  const { data: hosts = [] } = useQuery({ ...hostsQuery, refetchInterval: false });
  const { data: devices = [] } = useQuery(devicesQuery);
  const host_id = devices.find(({ id }) => id === device_id)?.host.id;
  const able = hosts.filter(({ id }) => host_id === undefined || id === host_id);
  return [...new Set(able.flatMap(({ commands }) => commands))].toSorted();
}

function OwnList({ draft, onChange }: Props) {
  if (draft.own.length === 0) return null;
  return (
    <ul className={classes.own} aria-label="Own workloads">
      {draft.own.map((workload) => (
        <li key={nameOfWorkload(workload)}>
          <strong>{nameOfWorkload(workload)}</strong>{" "}
          <span className="patina-quiet">{ownKinds[workload.kind]}</span>
          <CloseButton
            aria-label={`Remove ${nameOfWorkload(workload)}`}
            onClick={() => onChange({ own: draft.own.filter((other) => other !== workload) })}
          />
        </li>
      ))}
    </ul>
  );
}

export function WorkloadChoice({ draft, onChange }: Props) {
  const { data: builtIn = [], isError, error, refetch } = useQuery(workloadsQuery);
  const commands = useCommands(draft.device_id);
  const [adding, setAdding] = useState<"personality" | "fio" | "command" | null>(null);
  const toggle = (name: string) =>
    onChange({
      chosen: draft.chosen.includes(name)
        ? draft.chosen.filter((other) => other !== name)
        : [...draft.chosen, name],
    });
  const offered = [
    ...builtIn.map(({ name, summary }) => ({ name, summary })),
    ...programs.map(({ name, summary }) => ({ name, summary })),
    {
      name: "git",
      summary:
        "Pulls a repository commit by commit, and reads every file with empty caches between: one clone, clones that fill 75 %, and an unaged copy.",
    },
  ];
  const names = [...offered.map(({ name }) => name), ...draft.own.map(nameOfWorkload)];
  const add = (workload: TrialWorkload) => {
    onChange({ own: [...draft.own, workload] });
    setAdding(null);
  };
  return (
    <>
      {isError && <RefusalNotice error={error} onRetry={() => void refetch()} />}
      <div className={classes.choices} role="group" aria-label="Workloads">
        {offered.map(({ name, summary }) => (
          <Checkbox
            key={name}
            checked={draft.chosen.includes(name)}
            onChange={() => toggle(name)}
            label={name}
            description={summary}
          />
        ))}
      </div>
      {draft.chosen.includes("git") && <GitFields draft={draft} onChange={onChange} />}
      <OwnList draft={draft} onChange={onChange} />
      {adding === null ? (
        <Group gap="xs" mt="md">
          <Button variant="default" onClick={() => setAdding("personality")}>
            Add a Filebench file
          </Button>
          <Button variant="default" onClick={() => setAdding("fio")}>
            Add a fio job
          </Button>
          {commands.length > 0 && (
            <Button variant="default" onClick={() => setAdding("command")}>
              Add a command
            </Button>
          )}
        </Group>
      ) : adding === "command" ? (
        <OwnCommand programs={commands} names={names} onAdd={add} onCancel={() => setAdding(null)} />
      ) : (
        <OwnWorkload kind={adding} names={names} onAdd={add} onCancel={() => setAdding(null)} />
      )}
    </>
  );
}
