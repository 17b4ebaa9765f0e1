// What users call a run and write about it: its name, its tags, its note; and whether it is in the list.
import { ActionIcon, Button, Group, Modal, Pill, Stack, TagsInput, TextInput, Tooltip } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { Run } from "../../../api/client";
import { isEnded } from "../../../shared/job";
import { tagsIn } from "../../../shared/tags";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useMayChange } from "../../../shared/ui/SeenBy";
import { WrittenText } from "../../../shared/ui/WrittenText";
import { useChangeRun } from "../queries";

/** Returns the state of the change as the form of a text expects it. */
function useWriteNote(run_id: number) {
  const { mutate, isPending, error } = useChangeRun(run_id);
  return {
    mutate: (note: string, options: { onSuccess: () => void }) => mutate({ note }, options),
    isPending,
    error,
  };
}

function NameForm({ run, onClose }: { run: Run; onClose: () => void }) {
  const change = useChangeRun(run.id);
  const [name, setName] = useState(run.name);
  const [tags, setTags] = useState(run.tags);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    change.mutate({ name: name.trim(), tags }, { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description={`Beside its number; empty: run ${run.id} alone`}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          data-autofocus
        />
        <TagsInput
          label="Tags"
          description="Words to filter the list of runs by; Enter or a comma ends each"
          value={tags}
          onChange={(typed) => setTags(tagsIn(typed))}
          maxTags={20}
          acceptValueOnBlur
        />
        {change.isError && <RefusalNotice error={change.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The button beside the title of the run's page. */
export function RenameRun({ run }: { run: Run }) {
  const [isOpen, setOpen] = useState(false);
  if (!useMayChange(run)) return null;
  return (
    <>
      <Tooltip label="Change name and tags">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Change name and tags"
          onClick={() => setOpen(true)}
        >
          <IconPencil size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Name and tags of run ${run.id}`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <NameForm run={run} onClose={() => setOpen(false)} />
      </Modal>
    </>
  );
}

function Archive({ run }: { run: Run }) {
  const change = useChangeRun(run.id);
  const isArchived = run.archived_at !== null;
  return (
    <>
      <Button
        variant="default"
        loading={change.isPending}
        onClick={() => change.mutate({ archived: !isArchived })}
      >
        {isArchived ? "Show in the list again" : "Archive"}
      </Button>
      {change.isError && <RefusalNotice error={change.error} />}
    </>
  );
}

export function RunNames({ run }: { run: Run }) {
  const isChangeable = useMayChange(run);
  const note = useWriteNote(run.id);
  return (
    <section aria-labelledby="note">
      <div className="patina-section">
        <h2 id="note">Name and note</h2>
        {run.archived_at !== null && <span>Archived: not in the list of runs</span>}
      </div>
      <Stack gap="xs" align="flex-start">
        <Group gap="xs">
          <span className={run.name === "" ? "patina-quiet" : ""}>
            {run.name === "" ? "No name" : run.name}
          </span>
          {run.tags.map((tag) => (
            <Link key={tag} to="/runs" search={{ tag: [tag] }} title={`Runs with the tag ${tag}`}>
              <Pill>{tag}</Pill>
            </Link>
          ))}
        </Group>
        <div>
          <WrittenText text={run.note} what="note" saving={note} isChangeable={isChangeable} />
        </div>
        {isChangeable && (
          <Group gap="xs">{(isEnded(run.state) || run.archived_at !== null) && <Archive run={run} />}</Group>
        )}
      </Stack>
    </section>
  );
}
