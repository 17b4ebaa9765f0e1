// Edits the title, description, source and tags of a profile; its histograms do not change.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { Refusal, type Profile, type Tagged } from "../../../api/client";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { profileQuery, useUpdateProfile } from "../queries";
import { AboutFields, aboutOf } from "./AboutFields";

export function EditAbout({ profile, onClose }: { profile: Tagged<Profile>; onClose: () => void }) {
  const queries = useQueryClient();
  const update = useUpdateProfile(profile);
  const [about, setAbout] = useState(() => aboutOf(profile));
  const isStale = update.error instanceof Refusal && update.error.code === "profile_changed";
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    update.mutate(about, { onSuccess: onClose });
  };
  const reload = async () => {
    await queries.invalidateQueries({ queryKey: profileQuery(profile.name).queryKey });
    update.reset();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`About ${profile.title}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <AboutFields about={about} onChange={setAbout} />
          {update.isError && <RefusalNotice error={update.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            {isStale ? (
              <Button onClick={() => void reload()}>Keep mine and try again</Button>
            ) : (
              <Button type="submit" disabled={about.title.trim() === ""} loading={update.isPending}>
                Save
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
