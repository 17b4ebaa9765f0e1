// The note of a run.
import { Button, Group, Textarea } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Run } from "../../api/client";
import { Markdown } from "../../shared/ui/Markdown";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useWriteNote } from "./queries";

function NoteForm({ run, onClose }: { run: Run; onClose: () => void }) {
  const write = useWriteNote(run.id);
  const [note, setNote] = useState(run.note);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    write.mutate(note, { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <Textarea
        label="Note"
        description="Markdown"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={20_000}
        autosize
        minRows={3}
        maxRows={16}
        data-autofocus
      />
      {write.isError && <RefusalNotice error={write.error} />}
      <Group gap="xs" mt="xs">
        <Button type="submit" loading={write.isPending}>
          Save the note
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

export function RunNote({ run }: { run: Run }) {
  const [isWriting, setWriting] = useState(false);
  return (
    <section aria-labelledby="note">
      <div className="patina-section">
        <h2 id="note">Note</h2>
      </div>
      {isWriting ? (
        <NoteForm run={run} onClose={() => setWriting(false)} />
      ) : (
        <>
          {run.note !== "" && <Markdown text={run.note} />}
          <Button variant="default" mt="xs" onClick={() => setWriting(true)}>
            {run.note === "" ? "Write a note" : "Change the note"}
          </Button>
        </>
      )}
    </section>
  );
}
