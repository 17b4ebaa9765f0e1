// The page of an open draft: the histograms, the forecast below them, and the dialogs that save it.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState, type ReactNode } from "react";
import type { Plan, HistogramName, Profile, ProfileCreate, Tagged } from "../../api/client";
import { paceQuery } from "../../features/device/queries";
import { usualFileSystem } from "../age/FileSystemField";
import { usualHow } from "../age/HowFields";
import { ForecastLine } from "../../features/forecast/ForecastLine";
import { contentOf, histogramNames } from "../../features/profile/editor/draft/bin";
import type { Overlay } from "../../features/profile/editor/bars/Bars";
import { flawsOf } from "../../features/profile/editor/draft/flaw";
import { LeaveDialog } from "../../features/profile/editor/LeaveDialog";
import { ProfileEditor, type EditorMarks } from "../../features/profile/editor/ProfileEditor";
import { useDraft, useIsChanged, type DraftStore } from "../../features/profile/editor/draft/store";
import type { About } from "../../features/profile/saving/AboutFields";
import { SaveProfileDialog } from "../../features/profile/saving/SaveProfileDialog";
import { SaveVersionDialog } from "../../features/profile/saving/SaveVersionDialog";
import { Simulation } from "../../features/run/figures/Simulation";
import { FitPanel } from "../../features/profile/sources/FitPanel";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { bytes, formatBytes } from "../../shared/units";
import classes from "./Editing.module.css";
import { FIRST_GOAL, ForecastSection } from "./ForecastSection";
import { marksOf } from "./marks";
import { Sources } from "./Sources";
import { useDraftForecast } from "./useDraftForecast";

interface Props {
  store: DraftStore;
  title: string;
  words: ReactNode;
  /** The profile that gets the draft as its next version; null where the draft can only become a new profile. */
  profile: Tagged<Profile> | null;
  parent: ProfileCreate["parent"];
  about: About;
  onTakeTheirs: () => void;
}

function useCanSave(store: DraftStore): boolean {
  return useDraft(store, ({ histograms }) =>
    histogramNames.every((name) => flawsOf(name, histograms[name]).length === 0),
  );
}

type Saving = "version" | "profile" | null;

function SaveButtons({
  store,
  profile,
  onSave,
}: Pick<Props, "store" | "profile"> & { onSave: (saving: Saving) => void }) {
  const canSave = useCanSave(store);
  const isChanged = useIsChanged(store);
  return (
    <div className={classes.save}>
      {profile !== null && (
        <Button disabled={!canSave || !isChanged} onClick={() => onSave("version")}>
          Save version {profile.latest_version.number + 1}
        </Button>
      )}
      <Button
        variant={profile === null ? "filled" : "default"}
        disabled={!canSave}
        onClick={() => onSave("profile")}
      >
        Save as a new profile
      </Button>
    </div>
  );
}

interface SavingProps extends Omit<Props, "title" | "words"> {
  saving: Saving;
  onSaving: (saving: Saving) => void;
}

function SavingDialogs({ store, profile, parent, about, saving, onSaving, onTakeTheirs }: SavingProps) {
  const navigate = useNavigate();
  const histograms = useDraft(store, (draft) => draft.histograms);
  const content = useMemo(() => contentOf(histograms), [histograms]);
  const leave = (name: string) => {
    store.forget();
    void navigate({ to: "/profiles/$name", params: { name } });
  };
  const close = () => onSaving(null);
  if (saving === "version" && profile !== null) {
    return (
      <SaveVersionDialog
        profile={profile}
        histograms={content}
        onSaved={() => leave(profile.name)}
        onTakeTheirs={onTakeTheirs}
        onFork={() => onSaving("profile")}
        onClose={close}
      />
    );
  }
  if (saving === null) return null;
  return (
    <SaveProfileDialog
      parent={parent}
      about={about}
      histograms={content}
      onSaved={({ name }) => leave(name)}
      onClose={close}
    />
  );
}

/** Returns the same objects while the marks are equal, so that a histogram is redrawn only for a change. */
function useMarks(forecast: Plan | undefined): EditorMarks {
  const marks = marksOf(forecast);
  const text = JSON.stringify(histogramNames.map((name) => [...marks[name]]));
  const [kept, setKept] = useState({ text, marks });
  if (kept.text !== text) setKept({ text, marks });
  return kept.text === text ? kept.marks : marks;
}

/** The link to the devices with the picked point; offered once the profile is saved without further changes. */
function AgeLink({ store, parent, max_rmse }: Pick<Props, "store" | "parent"> & { max_rmse: number | null }) {
  const isChanged = useIsChanged(store);
  if (parent == null || isChanged)
    return <span className="patina-quiet">Save these histograms to age a device to them.</span>;
  const search = { profile: parent.name, ...(max_rmse !== null && { max_rmse }) };
  return (
    <LinkButton variant="default" to="/devices" search={search}>
      Choose a device to age
    </LinkButton>
  );
}

export function Editing({ title, words, ...props }: Props) {
  const { store, profile } = props;
  const [saving, setSaving] = useState<Saving>(null);
  const [isFitting, setFitting] = useState(false);
  const [goal, setGoal] = useState(FIRST_GOAL);
  const [overlay, setOverlay] = useState<{ histogram: HistogramName; weights: Overlay } | null>(null);
  const { forecast, error, waiting, request } = useDraftForecast(store, goal);
  const { data: pace = null } = useQuery(paceQuery(goal.device_id, usualHow.mode, usualFileSystem));
  const marks = useMarks(forecast);
  const save = useMemo(
    () => <SaveButtons store={store} profile={profile} onSave={setSaving} />,
    [store, profile],
  );
  const sources = useMemo(
    () => <Sources store={store} isFitting={isFitting} onFit={() => setFitting(!isFitting)} />,
    [store, isFitting],
  );
  const fitting = useMemo(
    () => isFitting && <FitPanel store={store} onOverlay={setOverlay} onClose={() => setFitting(false)} />,
    [store, isFitting],
  );
  return (
    <>
      <PageHeader title={title} action={save}>
        {words}
      </PageHeader>
      <div className="patina-stack">
        <ForecastLine
          forecast={forecast}
          pace={pace}
          goal={`${formatBytes(bytes(goal.capacity_bytes)).text}, ${Math.round(goal.fullness * 100)} % full`}
          isOld={waiting !== null || error !== null}
        />
        <ProfileEditor store={store} marks={marks} overlay={overlay} sources={sources} below={fitting} />
        <ForecastSection {...{ goal, forecast, error, waiting, pace }} onGoal={setGoal}>
          <AgeLink store={store} parent={props.parent} max_rmse={goal.max_rmse} />
        </ForecastSection>
        <Simulation request={request} />
      </div>
      <SavingDialogs {...props} saving={saving} onSaving={setSaving} />
      <LeaveDialog store={store} />
    </>
  );
}
