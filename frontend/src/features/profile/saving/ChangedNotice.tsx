// Another user saved first: the notice shows the changes and the author, and offers three ways to continue.
import { Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CurrentVersion, Profile } from "../../../api/client";
import { Panel } from "../../../shared/ui/Panel";
import { formatTime } from "../../../shared/units";
import { CompareFigures } from "../CompareFigures";
import type { HistogramsContent } from "../editor/draft/bin";
import { versionQuery } from "../queries";
import classes from "./ChangedNotice.module.css";
import { Plot } from "../../../shared/ui/waiting/shapes";

interface Props {
  profile: Profile;
  current: CurrentVersion;
  histograms: HistogramsContent;
  isPending: boolean;
  onTakeTheirs: () => void;
  onFork: () => void;
  onOverwrite: () => void;
}

export function ChangedNotice({ profile, current, histograms, isPending, ...ways }: Props) {
  const theirs = useQuery(versionQuery(profile.name, current.number));
  const saved = formatTime(current.created_at);
  const isSameVersion = current.number === profile.latest_version.number;
  return (
    <Stack gap="lg">
      <div role="alert">
        <p>
          {isSameVersion ? (
            <>
              The description, source or tags were changed since you began. The histograms are still version{" "}
              {current.number}.{" "}
            </>
          ) : (
            <>
              {current.author} saved version {current.number} <span title={saved.exact}>at {saved.text}</span>
              : <q>{current.message}</q>.{" "}
            </>
          )}
          Your draft was made of version {profile.latest_version.number}; nothing of it is lost.
        </p>
      </div>
      <Panel query={theirs} skeleton={<Plot height={220} />}>
        {(version) => (
          <CompareFigures
            left={{ title: `version ${current.number}`, content: version }}
            right={{ title: "your draft", content: histograms }}
          />
        )}
      </Panel>
      <div className={classes.ways}>
        <Button onClick={ways.onFork}>Save mine as a new profile</Button>
        <Button variant="default" onClick={ways.onTakeTheirs}>
          Discard mine, open version {current.number}
        </Button>
        <Button variant="outline" color="copper" onClick={ways.onOverwrite} loading={isPending}>
          Save mine on top, as version {current.number + 1}
        </Button>
      </div>
    </Stack>
  );
}
