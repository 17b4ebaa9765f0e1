// A workload of the user's own: its text, read by the server before it is added.
import { Button, FileButton, Group, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { TrialWorkload } from "../../api/client";
import { useDescribeWorkload } from "../../features/trial/queries";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import classes from "./NewTrial.module.css";

interface Props {
  kind: "personality" | "fio";
  /** Names that are taken. */
  names: readonly string[];
  onAdd: (workload: TrialWorkload) => void;
  onCancel: () => void;
}

const words = {
  personality: {
    title: "Specification",
    description: "In Filebench's workload model language. Paths in it have no effect.",
    accept: ".f,text/plain",
    usual: "my-workload",
  },
  fio: {
    title: "Job file",
    description: "Options of I/O, sizes, rates and times. Patina chooses the files.",
    accept: ".fio,.ini,text/plain",
    usual: "my-job",
  },
} as const;

export function OwnWorkload({ kind, names, onAdd, onCancel }: Props) {
  const { title, description, accept, usual } = words[kind];
  const [name, setName] = useState<string>(usual);
  const [text, setText] = useState("");
  const reading = useDescribeWorkload();
  const isTaken = names.includes(name.trim());
  const isReady = name.trim() !== "" && text.trim() !== "" && !isTaken;
  const take = async (file: File | null) => {
    if (file === null) return;
    setText(await file.text());
    setName(file.name.replace(/\.[a-z]+$/i, ""));
    reading.reset();
  };
  const add = () => {
    if (!isReady) return;
    if (kind === "fio") onAdd({ kind, name: name.trim(), job: text });
    else
      reading.mutate(text, {
        onSuccess: () => onAdd({ kind, name: name.trim(), spec: text, seconds: 60, warm_up_s: 5 }),
      });
  };
  return (
    <div className={classes.adding}>
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={isTaken ? "Another workload has this name." : null}
        maw={320}
        data-autofocus
      />
      <Textarea
        label={title}
        description={description}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          reading.reset();
        }}
        autosize
        minRows={6}
        maxRows={18}
        spellCheck={false}
        classNames={{ input: "mono" }}
      />
      {reading.isError && <RefusalNotice error={reading.error} />}
      <Group gap="xs">
        <FileButton onChange={(file) => void take(file)} accept={accept}>
          {(props) => (
            <Button variant="default" {...props}>
              Read from a file
            </Button>
          )}
        </FileButton>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button disabled={!isReady} loading={reading.isPending} onClick={add}>
          Add workload
        </Button>
      </Group>
    </div>
  );
}
