// The actions on a profile other than aging.
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Refusal, type Profile, type Tagged } from "../../api/client";
import { Dialog } from "../../shared/ui/Dialog";
import { LinkButton } from "../../shared/ui/LinkButton";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { ShareWith } from "../../shared/link/ShareWith";
import { useArchiveProfile, useDeleteProfile, useShareProfile, usesQuery } from "./queries";
import { EditAbout } from "./saving/EditAbout";

interface Props {
  profile: Tagged<Profile>;
  onDeleted: () => void;
}

function DeleteDialog({ profile, onDeleted, onClose }: Props & { onClose: () => void }) {
  const remove = useDeleteProfile(profile);
  const archive = useArchiveProfile(profile);
  const uses = useQuery(usesQuery(profile.name));
  const isRefused = remove.error instanceof Refusal && remove.error.code === "profile_in_use";
  const isUsed = (uses.data?.length ?? 0) > 0;
  const isInUse = isRefused || isUsed;
  return (
    <Dialog onClose={onClose} title={`Delete ${profile.title}?`}>
      {isInUse ? (
        <p role="status">
          {isUsed && "Runs, images or trials use this profile, so it cannot be deleted. "}An archived profile
          leaves the gallery and stays readable.
        </p>
      ) : (
        <p>
          {profile.versions_count === 1 ? "Its one version is" : `Its ${profile.versions_count} versions are`}{" "}
          deleted permanently. An archived profile leaves the gallery and stays readable.
        </p>
      )}
      {remove.isError && <RefusalNotice error={remove.error} />}
      {archive.isError && <RefusalNotice error={archive.error} />}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Keep it
        </Button>
        <Button
          variant="default"
          loading={archive.isPending}
          onClick={() => archive.mutate(undefined, { onSuccess: onClose })}
        >
          Archive {profile.name}
        </Button>
        {!isInUse && (
          <Button
            color="danger"
            disabled={uses.isPending}
            loading={remove.isPending}
            onClick={() => remove.mutate(undefined, { onSuccess: onDeleted })}
          >
            Delete {profile.name}
          </Button>
        )}
      </Group>
    </Dialog>
  );
}

export function ProfileActions({ profile, onDeleted }: Props) {
  const archive = useArchiveProfile(profile);
  const share = useShareProfile(profile);
  const [open, setOpen] = useState<"about" | "delete" | null>(null);
  const params = { name: profile.name };
  const isMine = !profile.is_builtin && profile.is_changeable;
  return (
    <Group gap="xs" mt="xs">
      <LinkButton variant="default" size="compact-sm" to="/profiles/$name/edit" params={params}>
        {isMine ? "Edit the histograms" : "Change a copy"}
      </LinkButton>
      {profile.versions_count > 1 && (
        <LinkButton variant="default" size="compact-sm" to="/profiles/$name/compare" params={params}>
          Compare versions
        </LinkButton>
      )}
      <LinkButton variant="default" size="compact-sm" to="/profiles" search={{ chosen: profile.name }}>
        Compare with another profile
      </LinkButton>
      {isMine && (
        <>
          <Button variant="default" size="compact-sm" onClick={() => setOpen("about")}>
            Edit title and description
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            loading={archive.isPending}
            onClick={() => archive.mutate()}
          >
            {profile.archived_at === null ? "Archive" : "Unarchive"}
          </Button>
          <Button variant="default" size="compact-sm" onClick={() => setOpen("delete")}>
            Delete
          </Button>
        </>
      )}
      {!profile.is_builtin && (
        <ShareWith
          shared={profile}
          share={share}
          shown={{ profile: profile.name }}
          what="this profile and its versions"
        />
      )}
      {archive.isError && <RefusalNotice error={archive.error} />}
      {open === "about" && <EditAbout profile={profile} onClose={() => setOpen(null)} />}
      {open === "delete" && (
        <DeleteDialog profile={profile} onDeleted={onDeleted} onClose={() => setOpen(null)} />
      )}
    </Group>
  );
}
