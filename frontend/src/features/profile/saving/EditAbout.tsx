// Edits the title, description, source and tags of a profile; its histograms do not change.
import { Button, Group, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refusal, type Profile, type Tagged } from "../../../api/client";
import { Dialog } from "../../../shared/ui/Dialog";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { profileQuery, useUpdateProfile } from "../queries";
import { AboutFields, aboutOf, titleErrorOf } from "./AboutFields";
import { RequiredNote } from "./RequiredNote";
import { useRequired } from "./useRequired";

export function EditAbout({ profile, onClose }: { profile: Tagged<Profile>; onClose: () => void }) {
  const queries = useQueryClient();
  const update = useUpdateProfile(profile);
  const [about, setAbout] = useState(() => aboutOf(profile));
  const isStale = update.error instanceof Refusal && update.error.code === "profile_changed";
  const { form, shown } = useRequired({ title: titleErrorOf(about) }, () =>
    update.mutate(about, { onSuccess: onClose }),
  );
  const reload = async () => {
    await queries.invalidateQueries({ queryKey: profileQuery(profile.name).queryKey });
    update.reset();
  };
  return (
    <Dialog onClose={onClose} size="lg" title={`About ${profile.title}`}>
      <form {...form}>
        <Stack gap="md">
          <RequiredNote />
          <AboutFields about={about} titleError={shown?.title ?? null} onChange={setAbout} />
          {update.isError && <RefusalNotice error={update.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            {isStale ? (
              <Button onClick={() => void reload()}>Keep mine and try again</Button>
            ) : (
              <Button type="submit" loading={update.isPending}>
                Save
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
