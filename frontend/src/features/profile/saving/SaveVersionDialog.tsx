// Saves a draft as the next version of its profile; offers ways to continue when another user saved first.
import { Button, Group, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refusal, type Profile, type Tagged } from "../../../api/client";
import { Dialog } from "../../../shared/ui/Dialog";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useAuthor } from "../author";
import type { HistogramsContent } from "../editor/draft/bin";
import { profileQuery, useSaveVersion } from "../queries";
import { ChangedNotice } from "./ChangedNotice";
import { RequiredNote } from "./RequiredNote";
import { SignFields, signErrorsOf } from "./SignFields";
import { useRequired } from "./useRequired";

interface Props {
  profile: Tagged<Profile>;
  histograms: HistogramsContent;
  onSaved: () => void;
  onTakeTheirs: () => void;
  onFork: () => void;
  onClose: () => void;
}

interface FormProps {
  number: number;
  error: unknown;
  isPending: boolean;
  onSave: (message: string, author: string) => void;
  onClose: () => void;
}

function VersionForm({ number, error, isPending, onSave, onClose }: FormProps) {
  const { author, setAuthor, remember } = useAuthor();
  const [message, setMessage] = useState("");
  const { form, shown } = useRequired(signErrorsOf(message, author), () => {
    remember();
    onSave(message.trim(), author.trim());
  });
  return (
    <form {...form}>
      <Stack gap="md">
        <RequiredNote />
        <SignFields {...{ message, author }} errors={shown} onMessage={setMessage} onAuthor={setAuthor} />
        {error !== null && <RefusalNotice error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Save version {number}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function SaveVersionDialog({ profile, histograms, onSaved, onTakeTheirs, onFork, onClose }: Props) {
  const save = useSaveVersion();
  const queries = useQueryClient();
  const { name, title, latest_version } = profile;
  const saveAs = (etag: string, message: string, author: string) =>
    save.mutate({ name, etag, body: { histograms, message, author } }, { onSuccess: onSaved });
  /** Saves on top of the current version, with its tag. */
  const overwrite = async () => {
    const body = save.variables?.body;
    if (body === undefined) return;
    const now = await queries.query({ ...profileQuery(name), staleTime: 0 });
    saveAs(now.etag, body.message, body.author);
  };
  const { error } = save;
  const current = error instanceof Refusal && error.code === "profile_changed" ? error.current : null;
  const number = latest_version.number + 1;
  return (
    <Dialog
      onClose={onClose}
      size={current === null ? "md" : 880}
      title={current === null ? `Save version ${number} of ${title}` : `${title} has changed meanwhile`}
    >
      {current === null ? (
        <VersionForm
          number={number}
          error={error}
          isPending={save.isPending}
          onSave={(message, author) => saveAs(profile.etag, message, author)}
          onClose={onClose}
        />
      ) : (
        <ChangedNotice
          profile={profile}
          current={current}
          histograms={histograms}
          isPending={save.isPending}
          onTakeTheirs={onTakeTheirs}
          onFork={onFork}
          onOverwrite={() => void overwrite()}
        />
      )}
    </Dialog>
  );
}
