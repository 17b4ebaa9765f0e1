// The dialog that ages a device: its goal, the forecast beside it, and the confirmation that names the device.
import { Button, Group, Modal, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { Device, Profile, Run, RunCreate } from "../../api/client";
import { newKey } from "../../features/action/words";
import { Confirmation, isConfirmed } from "../../features/device/Confirmation";
import { paceQuery } from "../../features/device/queries";
import { capacityOf, nameOf, whyNot, whyRefused } from "../../features/device/words";
import { ForecastPanel } from "../../features/forecast/ForecastPanel";
import type { ForecastRequest } from "../../features/forecast/queries";
import { profilesQuery } from "../../features/profile/queries";
import { type AgingMode, isDataMode } from "../../shared/modes";
import { newestRunQuery, runQuery, useStartRun } from "../../features/run/queries";
import { moreOf, type More } from "../../shared/settings";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import classes from "./AgeDialog.module.css";
import { CaptureField, type CaptureMode } from "./CaptureField";
import {
  FALLBACK_PROFILE,
  goalCreate,
  goalLike,
  goalOfReplay,
  inOrder,
  isWhole,
  lastProfile,
  usualGoal,
  versionOf,
  wordsOfGoal,
  type Goal,
} from "./goal";
import { GoalFields } from "./GoalFields";
import { type How, HowFields, usualHow } from "./HowFields";
import { MoreFields, moreFor, planOf } from "./MoreFields";
import { NoForecast } from "../../features/forecast/NoForecast";
import { canAgeInMemory, PlaceFields, type Place } from "./PlaceFields";

/** Choices in the address: a profile, or a point picked on its curve. */
export interface Preferred {
  profile?: string;
  max_rmse?: number;
  /** The run whose settings are reused. */
  like?: number;
  /** Replaces that run's mode. */
  mode?: AgingMode;
  /** The run whose operation log is replayed, and whether only its survivors are created. */
  replay_of?: number;
  survivors?: boolean;
  /** The image to restore. */
  restore?: number;
}

function howOf(like: Run | null, mode: AgingMode | undefined): How {
  if (like === null) return { ...usualHow, ...(mode !== undefined && { mode }) };
  return {
    mode: mode ?? like.mode,
    data_mode: isDataMode(like.data_mode) ? like.data_mode : usualHow.data_mode,
  };
}

/** Returns the place of the earlier run where the device allows it. */
function placeOn(device: Device, like: Run | null): Place {
  const before = device.file_systems.find(({ name }) => name === like?.file_system);
  const isPossible = before !== undefined && whyNot(device, before) === null;
  const in_memory = like?.in_memory === true && canAgeInMemory(device);
  return { file_system: isPossible ? before.name : "ext4", in_memory };
}

/** Returns null for a workload, which has no plan to forecast. */
function requestOf(
  { profile, fullness, max_rmse }: Goal,
  device: Device,
  place: Place,
  like: Run | null,
  more: More,
): ForecastRequest | null {
  if (profile === null) return null;
  const version = versionOf(profile, like);
  const request = { profile, fullness, ...version, capacity_bytes: capacityOf(device, place.file_system) };
  const planned = { ...request, ...planOf(more) };
  return max_rmse === null ? planned : { ...planned, max_rmse, max_overwrites: null };
}

function confirmationOf({ stable_id, size_bytes }: Device, typed: string) {
  return { stable_id, size_bytes, typed: typed === "" ? null : typed };
}

function LikeNote({ like, profile }: { like: Run; profile: string | null }) {
  return (
    <p className="patina-quiet">
      All other settings are those of run {like.id}, including seed {like.seed}
      {profile !== null &&
        like.profile?.name === profile &&
        ` and profile version ${like.profile_version_number}`}
      . A device of the same size gets the same plan, operation by operation.
    </p>
  );
}

interface FormProps {
  device: Device;
  profiles: readonly Profile[];
  preferred: Preferred;
  like: Run | null;
  mode: AgingMode | undefined;
  onClose: () => void;
}

/** Returns the goal that the address names: a twin's run, an earlier run's goal, or a profile. */
function firstGoal(profiles: readonly Profile[], preferred: Preferred, like: Run | null): Goal {
  if (preferred.replay_of !== undefined)
    return goalOfReplay(preferred.replay_of, preferred.survivors === true);
  const goal = like === null ? usualGoal(profiles[0]?.name ?? FALLBACK_PROFILE) : goalLike(like);
  return { ...goal, max_rmse: preferred.max_rmse ?? goal.max_rmse };
}

function AgeForm({ device, profiles, preferred, like, mode, onClose }: FormProps) {
  const navigate = useNavigate();
  const start = useStartRun();
  const [idempotency_key] = useState(newKey);
  const [goal, setGoal] = useState<Goal>(() => firstGoal(profiles, preferred, like));
  const [capture_mode, setCaptureMode] = useState<CaptureMode>(like?.capture_mode ?? "allocated");
  const [place, setPlace] = useState<Place>(() => placeOn(device, like));
  const [how, setHow] = useState<How>(() => howOf(like, mode));
  const [more, setMore] = useState<More>(() => (like === null ? {} : moreOf(like)));
  const pace = useQuery(paceQuery(device.id, how.mode, place.file_system));
  const [typed, setTyped] = useState("");
  const why = (mode: CaptureMode) => whyRefused(device, place.file_system, mode);
  const mayStart = isConfirmed(device, typed) && why(capture_mode) === null && isWhole(goal);
  const request = requestOf(goal, device, place, like, more);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!mayStart) return;
    const body: RunCreate = {
      ...moreFor(how.mode, goal.workload, more),
      ...(goal.max_rmse !== null && { max_overwrites: null }),
      ...goalCreate(goal),
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
          <GoalFields
            goal={goal}
            profiles={profiles}
            host={device.host}
            more={more}
            onChange={setGoal}
            onMore={setMore}
          />
          <PlaceFields device={device} place={place} onChange={setPlace} />
          <HowFields how={how} file_systems={[place.file_system]} onChange={setHow} />
          <CaptureField mode={capture_mode} onChange={setCaptureMode} whyRefused={why} />
        </div>
        {request === null ? <NoForecast /> : <ForecastPanel request={request} pace={pace.data ?? null} />}
      </div>
      <MoreFields more={more} mode={how.mode} workload={goal.workload} onChange={setMore} />
      {like !== null && <LikeNote like={like} profile={goal.profile} />}
      <Confirmation device={device} typed={typed} onType={setTyped} />
      {start.isError && <RefusalNotice error={start.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={!mayStart} loading={start.isPending}>
          {device.state === "busy" && "Wait, then "}
          {device.state === "busy" ? "age" : "Age"} {nameOf(device)} {wordsOfGoal(goal, profiles)}
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
              profiles={inOrder(data, preferred.profile ?? like?.profile?.name ?? lastProfile(newest.data))}
              preferred={preferred}
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
