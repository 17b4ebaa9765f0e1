// The one click: what to age the device to, the forecast beside it, and the confirmation that names the device.
import { Button, Group, Modal, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { Device, Profile, Run, RunCreate } from "../../api/client";
import { newKey } from "../../features/action/words";
import { Confirmation, isConfirmed } from "../../features/device/Confirmation";
import { paceQuery } from "../../features/device/queries";
import { capacityOf, nameOf, whyNoMetadataImage } from "../../features/device/words";
import { ForecastPanel } from "../../features/forecast/ForecastPanel";
import type { ForecastRequest } from "../../features/forecast/queries";
import { profilesQuery } from "../../features/profile/queries";
import { type AgingMode, isDataMode } from "../../shared/modes";
import { newestRunQuery, runQuery, useStartRun } from "../../features/run/queries";
import { moreOf, type More } from "../../shared/settings";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { formatFraction, fraction } from "../../shared/units";
import classes from "./AgeDialog.module.css";
import { CaptureField, type CaptureMode, isRefused } from "./CaptureField";
import { GoalFields, type Goal } from "./GoalFields";
import { type How, HowFields, usualHow } from "./HowFields";
import { MoreFields, moreFor, planOf } from "./MoreFields";
import { canAgeInMemory, PlaceFields, type Place } from "./PlaceFields";

export const FALLBACK_PROFILE = "agrawal";
export const DEFAULT_FULLNESS = 0.7;

/** What the user came with, by the address: from a profile, or from a point picked on its curve. */
export interface Preferred {
  profile?: string;
  max_rmse?: number;
  /** The run whose settings to take again. */
  like?: number;
  /** In place of that run's. */
  mode?: AgingMode;
}

function howOf(like: Run | null, mode: AgingMode | undefined): How {
  if (like === null) return { ...usualHow, ...(mode !== undefined && { mode }) };
  return {
    mode: mode ?? like.mode,
    data_mode: isDataMode(like.data_mode) ? like.data_mode : usualHow.data_mode,
  };
}

/** Last used first, then by title as the server has them. */
export function inOrder(profiles: readonly Profile[], last: string): Profile[] {
  return [...profiles].sort((a, b) => Number(b.name === last) - Number(a.name === last));
}

/** As the run before, where the device allows it. */
function placeOn(device: Device, like: Run | null): Place {
  const before = device.file_systems.find(({ name }) => name === like?.file_system);
  const isLarge = before !== undefined && before.least_device_bytes <= device.size_bytes;
  const in_memory = like?.in_memory === true && canAgeInMemory(device);
  return { file_system: isLarge ? before.name : "ext4", in_memory };
}

/** As long as the profile is the run's, its version is too: a later edit would make another plan. */
function versionOf(profile: string, like: Run | null): Pick<RunCreate, "profile_version_number"> {
  if (like?.profile.name !== profile) return {};
  return { profile_version_number: like.profile_version_number };
}

function requestOf(
  { profile, fullness, max_rmse }: Goal,
  device: Device,
  place: Place,
  like: Run | null,
  more: More,
): ForecastRequest {
  const version = versionOf(profile, like);
  const request = { profile, fullness, ...version, capacity_bytes: capacityOf(device, place.file_system) };
  const planned = { ...request, ...planOf(more) };
  return max_rmse === null ? planned : { ...planned, max_rmse, max_overwrites: null };
}

function confirmationOf({ stable_id, size_bytes }: Device, typed: string) {
  return { stable_id, size_bytes, typed: typed === "" ? null : typed };
}

function LikeNote({ like, profile }: { like: Run; profile: string }) {
  return (
    <p className="patina-quiet">
      With everything else as in run {like.id}, its seed {like.seed} too
      {like.profile.name === profile && `, and version ${like.profile_version_number} of the profile`}: on a
      device of the same size the same plan, operation by operation.
    </p>
  );
}

interface FormProps {
  device: Device;
  profiles: readonly Profile[];
  max_rmse: number | null;
  like: Run | null;
  mode: AgingMode | undefined;
  onClose: () => void;
}

function AgeForm({ device, profiles, max_rmse, like, mode, onClose }: FormProps) {
  const navigate = useNavigate();
  const start = useStartRun();
  const [idempotency_key] = useState(newKey);
  const [goal, setGoal] = useState<Goal>({
    profile: profiles[0]?.name ?? FALLBACK_PROFILE,
    fullness: like?.fullness ?? DEFAULT_FULLNESS,
    fullness_of: like?.fullness_of ?? "files",
    max_rmse,
  });
  const [capture_mode, setCaptureMode] = useState<CaptureMode>(like?.capture_mode ?? "allocated");
  const [place, setPlace] = useState<Place>(() => placeOn(device, like));
  const [how, setHow] = useState<How>(() => howOf(like, mode));
  const [more, setMore] = useState<More>(() => (like === null ? {} : moreOf(like)));
  const pace = useQuery(paceQuery(device.id, how.mode, place.file_system));
  const [typed, setTyped] = useState("");
  const why = whyNoMetadataImage(device, place.file_system);
  const mayStart = isConfirmed(device, typed) && !isRefused(capture_mode, why);
  const title = profiles.find(({ name }) => name === goal.profile)?.title ?? goal.profile;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!mayStart) return;
    const body: RunCreate = {
      ...moreFor(how.mode, more),
      ...(goal.max_rmse !== null && { max_overwrites: null }),
      ...goal,
      ...versionOf(goal.profile, like),
      device_id: device.id,
      ...place,
      ...how,
      capture_mode,
      confirmation: confirmationOf(device, typed),
      waits: device.state === "busy",
      note: "",
    };
    start.mutate(
      { body, idempotency_key },
      { onSuccess: (run) => void navigate({ to: "/runs/$runId", params: { runId: String(run.id) } }) },
    );
  };
  return (
    <form onSubmit={submit} className={classes.form}>
      <div className={classes.choice}>
        <div className={classes.fields}>
          <GoalFields goal={goal} profiles={profiles} onChange={setGoal} />
          <PlaceFields device={device} place={place} onChange={setPlace} />
          <HowFields how={how} file_systems={[place.file_system]} onChange={setHow} />
          <CaptureField mode={capture_mode} onChange={setCaptureMode} why_no_metadata_image={why} />
        </div>
        <ForecastPanel request={requestOf(goal, device, place, like, more)} pace={pace.data ?? null} />
      </div>
      <MoreFields more={more} mode={how.mode} onChange={setMore} />
      {like !== null && <LikeNote like={like} profile={goal.profile} />}
      <Confirmation device={device} typed={typed} onType={setTyped} />
      {start.isError && <RefusalNotice error={start.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={!mayStart} loading={start.isPending}>
          {device.state === "busy" && "Wait, then "}
          {device.state === "busy" ? "age" : "Age"} {nameOf(device)} to {title},{" "}
          {formatFraction(fraction(goal.fullness)).text}
        </Button>
      </Group>
    </form>
  );
}

interface DialogProps {
  device: Device;
  preferred: Preferred;
  onClose: () => void;
}

export function AgeDialog({ device, preferred, onClose }: DialogProps) {
  const profiles = useQuery(profilesQuery);
  const newest = useQuery({ ...newestRunQuery, staleTime: 0 });
  const wanted = useQuery({ ...runQuery(preferred.like ?? 0, 0), enabled: preferred.like !== undefined });
  const like = preferred.like === undefined ? null : (wanted.data ?? null);
  const isReady = !newest.isPending && (preferred.like === undefined || !wanted.isPending);
  const skeleton = <Skeleton height={380} />;
  return (
    <Modal
      opened
      onClose={onClose}
      size={880}
      title={`Age ${nameOf(device)}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Panel query={profiles} skeleton={skeleton}>
        {(data) =>
          isReady ? (
            <AgeForm
              device={device}
              profiles={inOrder(
                data,
                preferred.profile ?? like?.profile.name ?? newest.data?.profile.name ?? FALLBACK_PROFILE,
              )}
              max_rmse={preferred.max_rmse ?? like?.max_rmse ?? null}
              like={like}
              mode={preferred.mode}
              onClose={onClose}
            />
          ) : (
            skeleton
          )
        }
      </Panel>
    </Modal>
  );
}
