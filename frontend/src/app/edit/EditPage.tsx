// Edits a profile: its latest version opens as a draft.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Profile, Tagged } from "../../api/client";
import { histogramsOf } from "../../features/profile/editor/draft/bin";
import { makeDraftStore } from "../../features/profile/editor/draft/store";
import { profileQuery } from "../../features/profile/queries";
import { aboutOf } from "../../features/profile/saving/AboutFields";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { Editing } from "./Editing";
import { Plots } from "../../shared/ui/waiting/shapes";

function EditProfile({ profile, onTakeTheirs }: { profile: Tagged<Profile>; onTakeTheirs: () => void }) {
  const { name, title, is_builtin, latest_version } = profile;
  const { number } = latest_version;
  const [store] = useState(() => makeDraftStore({ name, number }, histogramsOf(latest_version)));
  const takeTheirs = () => {
    store.forget();
    onTakeTheirs();
  };
  return (
    <Editing
      store={store}
      title={`Edit ${title}`}
      words={
        is_builtin
          ? `Built-in profiles are read-only: your changes to version ${number} are saved as a new profile.`
          : `Based on version ${number}, which does not change.`
      }
      profile={is_builtin ? null : profile}
      parent={{ name, number }}
      about={{ ...aboutOf(profile), title: `${title}, changed` }}
      onTakeTheirs={takeTheirs}
    />
  );
}

export function EditPage() {
  const { name } = useParams({ from: "/profiles/$name/edit" });
  const queries = useQueryClient();
  // A draft belongs to the version that it began from: a background refresh must not replace it.
  const profile = useQuery({ ...profileQuery(name), staleTime: Infinity, refetchOnMount: "always" });
  const [opened, setOpened] = useState<Tagged<Profile> | null>(null);
  const isFresh = profile.data !== undefined && !profile.isFetching;
  if (opened === null && isFresh) setOpened(profile.data);
  const takeTheirs = async () => {
    setOpened(await queries.query({ ...profileQuery(name), staleTime: 0 }));
  };
  if (opened !== null)
    return (
      <EditProfile
        key={`${opened.name}@${opened.latest_version.number} ${opened.etag}`}
        profile={opened}
        onTakeTheirs={() => void takeTheirs()}
      />
    );
  return (
    <>
      <PageHeader title={`Edit ${name}`} />
      <Panel query={profile} skeleton={<Plots />}>
        {() => <Plots />}
      </Panel>
    </>
  );
}
