// The form of an import: the file, its kind and the name of the image.
import { Button, Radio, Stack, Textarea, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { IntakeCreate } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { FileDrop } from "../../shared/ui/FileDrop";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { bytes, formatBytes } from "../../shared/units";
import classes from "./ImportForm.module.css";
import { isImageName } from "../../shared/imageName";
import { nameOfFile } from "./name";
import { useBeginIntake } from "./queries";
import { send } from "./sending";

type StatedKind = IntakeCreate["kind"];

const formats =
  "raw, raw.zst, qcow2 or an OCI archive, detected from the file. It is sent in pieces and continues after a lost connection.";

function wordsOf(file: File | null) {
  if (file === null)
    return { title: "Drop an image here, or choose one", note: formats, button: "Choose a file" };
  return {
    title: <span className="mono">{file.name}</span>,
    note: <Exact value={formatBytes(bytes(file.size))} />,
    button: "Choose another file",
  };
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join("-");
}

function KindFields({ kind, onChange }: { kind: StatedKind; onChange: (kind: StatedKind) => void }) {
  return (
    <Radio.Group
      label="Kind"
      value={kind}
      onChange={(value) => onChange(value === "unaged" ? "unaged" : "foreign")}
    >
      <Stack gap="xs" mt={4}>
        <Radio
          value="foreign"
          label="Foreign"
          description="A file system not aged by Patina: by real use, or by another tool"
        />
        <Radio value="unaged" label="Un-aged" description="A fresh file system, to compare aged ones with" />
      </Stack>
    </Radio.Group>
  );
}

export function ImportForm() {
  const begin = useBeginIntake();
  const [idempotency_key, setKey] = useState(newKey);
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState("");
  const [kind, setKind] = useState<StatedKind>("foreign");
  const [source, setSource] = useState("");
  const choose = (chosen: File) => {
    setFile(chosen);
    setName(nameOfFile(chosen.name));
    setKey(newKey());
    begin.reset();
  };
  const isWrong = name !== "" && !isImageName(name);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (file === null || !isImageName(name)) return;
    const body = { name, kind, source, file_name: file.name, size_bytes: file.size };
    begin.mutate(
      { body, idempotency_key },
      {
        onSuccess: (intake) => {
          void send(intake, file);
          setFile(null);
          setName("");
          setSource("");
          setKey(newKey());
        },
      },
    );
  };
  return (
    <form onSubmit={submit} className={classes.form} aria-label="Import an image">
      <FileDrop label="File" {...wordsOf(file)} onChoose={([chosen]) => choose(chosen)} />
      <div className={classes.fields}>
        <Stack gap="md">
          <TextInput
            label="Name"
            description="Name of the image in the catalog"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={
              isWrong
                ? "Letters, digits, dots, dashes and underscores; the first character is a letter"
                : null
            }
          />
          <Textarea
            label="Source"
            description="Free text, kept with the image"
            value={source}
            onChange={(event) => setSource(event.currentTarget.value)}
            maxLength={2000}
            autosize
            minRows={2}
          />
        </Stack>
        <KindFields kind={kind} onChange={setKind} />
      </div>
      {begin.isError && <RefusalNotice error={begin.error} />}
      <div>
        <Button type="submit" disabled={file === null || !isImageName(name)} loading={begin.isPending}>
          {file === null || name === "" ? "Import an image" : `Import ${name}`}
        </Button>
      </div>
    </form>
  );
}
