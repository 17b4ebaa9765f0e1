// The dialog that ages a device: its goal, the forecast beside it, and the confirmation that names the device.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { Device, Profile, Run, RunCreate } from "../../api/client";
import { newKey } from "../../features/action/words";
import { Confirmation, isConfirmed } from "../../features/device/Confirmation";
import { paceQuery } from "../../features/device/queries";
import { capacityOf, whyNot, whyRefused } from "../../features/device/words";
import { nameAndPathOf, nameOf } from "../../shared/device";
import { ForecastPanel } from "../../features/forecast/ForecastPanel";
import type { ForecastRequest } from "../../features/forecast/queries";
import { profilesQuery } from "../../features/profile/queries";
import { type AgingMode, isDataMode } from "../../shared/modes";
import { runQuery, useStartRun } from "../../features/run/queries";
import { problemOfImageName } from "../../shared/imageName";
import { moreOf, type More } from "../../shared/settings";
import { Dialog } from "../../shared/ui/Dialog";
import { Panel } from "../../shared/ui/Panel";
import classes from "./AgeDialog.module.css";
import { CaptureField, usualCapture, type CaptureMode } from "./CaptureField";
import { DialogFooter } from "../../shared/dialog/DialogFooter";
import {
  FALLBACK_PROFILE,
  firstOf,
  goalCreate,
  goalLike,
  goalOfReplay,
  goalWith,
  inOrder,
  missingOf,
  usualGoal,
  withBudget,
  withMore,
  wordsOfGoal,
  type Goal,
} from "./goal";
import { GoalFields } from "./GoalFields";
import { usualFileSystemOn } from "./FileSystemField";
import { type How, HowFields, usualHow } from "./HowFields";
import { MoreFields, moreFor, planOf } from "./MoreFields";
import { ImageNameField, NoteField, usualNameOf } from "./NameFields";
import { areWhole, noOptions, optionsOf } from "./OptionFields";
import { NoForecast } from "../../features/forecast/NoForecast";
import type { Preferred } from "./preferred";
import { useKept } from "../../shared/useKept";
import { useLastProfile } from "./useLastProfile";
import { KeptNote } from "../../shared/ui/KeptNote";
import { canAgeInMemory, PlaceFields, type Place } from "./PlaceFields";
import { Fields } from "../../shared/ui/waiting/shapes";

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
  if (!isPossible || like === null)
    return { file_system: usualFileSystemOn(device), in_memory, ...noOptions };
  return { file_system: before.name, in_memory, ...optionsOf(like) };
}

/** Returns the mode of the earlier run, unless it would keep data that this device generates. */
function captureOf(device: Device, like: Run | null): CaptureMode {
  return like === null || like.capture_mode === "allocated" ? usualCapture(device) : like.capture_mode;
}

/** Returns null for a workload, which has no plan to forecast. */
function requestOf(goal: Goal, device: Device, place: Place, more: More): ForecastRequest | null {
  const { profile, fullness, max_rmse, profile_version_number } = goal;
  if (profile === null || fullness === null || missingOf(goal) !== null) return null;
  const capacity_bytes = capacityOf(device, place.file_system);
  const request = { profile, fullness, profile_version_number, capacity_bytes };
  const planned = { ...request, ...planOf(more) };
  return max_rmse === null ? planned : { ...planned, max_rmse, max_overwrites: null };
}

function confirmationOf({ stable_id, size_bytes }: Device, typed: string) {
  return { stable_id, size_bytes, typed: typed === "" ? null : typed };
}

function LikeNote({ like }: { like: Run }) {
  return (
    <p className="patina-quiet">
      The settings are those of run {like.id}, including seed {like.seed}, under More. A device of the same
      size gets the same plan, operation by operation.
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
  return goalWith(goal, preferred);
}

interface Chosen {
  goal: Goal;
  capture_mode: CaptureMode;
  place: Place;
  how: How;
  more: More;
  image_name: string;
  note: string;
  typed: string;
}

const kept = new Map<string, Chosen>();

/** The choices of the form, and what the forecast needs of them. */
function useChoices({ device, profiles, preferred, like, mode }: FormProps) {
  const key = JSON.stringify([device.id, preferred]);
  const usual = (): Chosen => ({
    goal: firstGoal(profiles, preferred, like),
    capture_mode: captureOf(device, like),
    place: placeOn(device, like),
    how: howOf(like, mode),
    more: like === null ? {} : moreOf(like),
    image_name: "",
    note: "",
    typed: "",
  });
  const renewed = (before: Chosen) => ({ ...before, typed: "" });
  const { chosen, change, ...rest } = useKept(kept, key, usual, renewed);
  const { goal, more } = chosen;
  const setMore = (changed: More) => change(withMore(goal, changed));
  const pick = (max_rmse: number | null) => change(withBudget(goal, more, max_rmse));
  return { ...chosen, ...rest, change, setMore, pick };
}

type Choices = ReturnType<typeof useChoices>;

function missing(device: Device, { goal, place, capture_mode, image_name, typed }: Choices): string | null {
  if (missingOf(goal) !== null) return missingOf(goal);
  if (!areWhole(place)) return "Correct the options of mkfs and mount";
  if (whyRefused(device, place.file_system, capture_mode) !== null) return "Choose another capture mode";
  if (problemOfImageName(image_name) !== null) return "Correct the name of the image";
  return isConfirmed(device, typed) ? null : `Confirm that ${nameOf(device)} is destroyed`;
}

function bodyOf(device: Device, chosen: Choices): RunCreate {
  const { goal, place, how, more, capture_mode, image_name, note, typed } = chosen;
  return {
    ...moreFor(how.mode, goal.workload, more),
    ...goalCreate(goal),
    device_id: device.id,
    ...place,
    ...how,
    capture_mode,
    confirmation: confirmationOf(device, typed),
    waits: device.state === "busy",
    image_name: image_name === "" ? null : image_name,
    note,
  };
}

/** The fields that the forecast depends on, and the capture mode. */
function ChoiceFields({
  device,
  profiles,
  chosen,
}: Pick<FormProps, "device" | "profiles"> & { chosen: Choices }) {
  const { goal, place, how, more } = chosen;
  return (
    <div className={classes.fields}>
      <GoalFields
        goal={goal}
        profiles={profiles}
        host={device.host}
        more={more}
        onChange={(changed) => chosen.change({ goal: changed })}
        onMore={chosen.setMore}
      />
      <PlaceFields device={device} place={place} onChange={(changed) => chosen.change({ place: changed })} />
      <HowFields
        how={how}
        file_systems={[place.file_system]}
        onChange={(changed) => chosen.change({ how: changed })}
      />
      <CaptureField
        mode={chosen.capture_mode}
        onChange={(capture_mode) => chosen.change({ capture_mode })}
        whyRefused={(each) => whyRefused(device, place.file_system, each)}
      />
    </div>
  );
}

function AgeForm(props: FormProps) {
  const { device, profiles, like, onClose } = props;
  const navigate = useNavigate();
  const start = useStartRun();
  const { remember } = useLastProfile();
  const [idempotency_key] = useState(newKey);
  const chosen = useChoices(props);
  const { goal, place, how, more } = chosen;
  const pace = useQuery(paceQuery(device.id, how.mode, place.file_system));
  const what = missing(device, chosen);
  const request = requestOf(goal, device, place, more);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (what !== null) return;
    start.mutate(
      { body: bodyOf(device, chosen), idempotency_key },
      {
        onSuccess: (run) => {
          remember(goal.profile);
          chosen.forget();
          void navigate({ to: "/runs/$runId", params: { runId: String(run.id) } });
        },
      },
    );
  };
  return (
    <form onSubmit={submit} className={classes.form} noValidate>
      <KeptNote startOver={chosen.startOver} />
      <div className={classes.choice}>
        <ChoiceFields device={device} profiles={profiles} chosen={chosen} />
        {request !== null ? (
          <ForecastPanel request={request} pace={pace.data ?? null} onPick={chosen.pick} />
        ) : (
          <NoForecast {...(goal.profile !== null && { why: missingOf(goal) ?? "" })} />
        )}
      </div>
      <MoreFields more={more} mode={how.mode} workload={goal.workload} onChange={chosen.setMore} />
      {like !== null && <LikeNote like={like} />}
      <ImageNameField
        name={chosen.image_name}
        usual={usualNameOf(goal, place.file_system)}
        onChange={(image_name) => chosen.change({ image_name })}
      />
      <NoteField note={chosen.note} onChange={(note) => chosen.change({ note })} />
      <Confirmation device={device} typed={chosen.typed} onType={(typed) => chosen.change({ typed })} />
      <DialogFooter
        verb={`${device.state === "busy" ? "Wait, then age" : "Age"} ${nameOf(device)} ${wordsOfGoal(goal, profiles)}`}
        warning={`Destroys all data on ${nameAndPathOf(device)}.`}
        missing={what}
        error={start.error}
        isPending={start.isPending}
        onClose={onClose}
      />
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
  const { last } = useLastProfile();
  const wanted = useQuery({ ...runQuery(preferred.like ?? 0, 0), enabled: preferred.like !== undefined });
  const like = preferred.like === undefined ? null : (wanted.data ?? null);
  const isReady = preferred.like === undefined || !wanted.isPending;
  const skeleton = <Fields count={5} />;
  return (
    <Dialog onClose={onClose} size={880} title={`Age ${nameOf(device)}`}>
      <Panel query={profiles} skeleton={skeleton}>
        {(data) =>
          isReady ? (
            <AgeForm
              device={device}
              profiles={inOrder(data, firstOf(data, preferred.profile, like?.profile?.name, last))}
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
    </Dialog>
  );
}
