// A program of a host's command folder, with its arguments.
import { Button, Group, Select, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { TrialWorkload } from "../../api/client";
import classes from "./NewTrial.module.css";

interface Props {
  /** What the hosts allow. */
  programs: readonly string[];
  /** Names that are taken. */
  names: readonly string[];
  onAdd: (workload: TrialWorkload) => void;
  onCancel: () => void;
}

export function OwnCommand({ programs, names, onAdd, onCancel }: Props) {
  const [program, setProgram] = useState(programs[0] ?? "");
  const [name, setName] = useState(programs[0] ?? "");
  const [text, setText] = useState("");
  const isTaken = names.includes(name.trim());
  const isReady = program !== "" && name.trim() !== "" && !isTaken;
  const argumentsOf = () => text.split("\n").filter((line) => line !== "");
  return (
    <div className={classes.adding}>
      <Select
        label="Program"
        description="Of the command folder of the device's host. It runs as root, in an empty folder of the file system."
        data={[...programs]}
        value={program}
        onChange={(chosen) => {
          if (chosen === null) return;
          setProgram(chosen);
          setName(chosen);
        }}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
        maw={480}
      />
      <TextInput
        label="Name"
        value={name}
        maxLength={80}
        onChange={(event) => setName(event.currentTarget.value)}
        error={isTaken ? "Another workload has this name." : null}
        maw={320}
      />
      <Textarea
        label="Arguments"
        description="One a line. The environment has PATINA_MOUNT, the mount point, and PATINA_SEED, the seed of the repetition."
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        classNames={{ input: "mono" }}
      />
      <Group gap="xs">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          disabled={!isReady}
          onClick={() => onAdd({ kind: "command", name: name.trim(), program, arguments: argumentsOf() })}
        >
          Add workload
        </Button>
      </Group>
    </div>
  );
}
