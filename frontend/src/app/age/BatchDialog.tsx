// Ages several devices to one goal: shared settings, a file system and a confirmation for each, one start.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { BatchCreate, Device, Profile } from "../../api/client";
import { newKey } from "../../features/action/words";
import { useStartBatch } from "../../features/batch/queries";
import { BlankDevices, Confirmation } from "../../features/device/Confirmation";
import { kindOf } from "../../features/device/words";
import { nameAndPathOf, nameOf } from "../../shared/device";
import { profilesQuery } from "../../features/profile/queries";
import { Dialog } from "../../shared/ui/Dialog";
import { Panel } from "../../shared/ui/Panel";
import classes from "./AgeDialog.module.css";
import { BatchForecast } from "./BatchForecast";
import { BatchCaptureField, usualCaptureOf, type BatchCapture } from "./CaptureField";
import { DialogFooter } from "../../shared/dialog/DialogFooter";
import { FileSystemField } from "./FileSystemField";
import {
  FALLBACK_PROFILE,
  firstOf,
  goalCreate,
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
import { type How, HowFields, usualHow } from "./HowFields";
import { KeptNote } from "../../shared/ui/KeptNote";
import { MoreFields, moreFor } from "./MoreFields";
import { NoForecast } from "../../features/forecast/NoForecast";
import type { More } from "../../shared/settings";
import {
  byCapacity,
  isBlank,
  membersCreate,
  membersOf,
  missingOfMembers,
  renewedMembers,
  whyRefusedOf,
  type Member,
} from "./member";
import { ImageNameField, NoteField, usualNameOf } from "./NameFields";
import { noOptions, OptionFields } from "./OptionFields";
import { canAgeInMemory, MemoryField } from "./PlaceFields";
import type { Preferred } from "./preferred";
import { useKept } from "../../shared/useKept";
import { useLastProfile } from "./useLastProfile";
import { Fields } from "../../shared/ui/waiting/shapes";

interface MemberProps {
  member: Member;
  goal: Goal;
  onChange: (member: Member) => void;
}

function MemberFields({ member, goal, onChange }: MemberProps) {
  const { device, file_system, typed } = member;
  const name = nameOf(device);
  return (
    <section className={classes.member} aria-label={name}>
      <div>
        <h3 className="mono">{name}</h3>
        <p className={classes.description}>
          {kindOf(device)}, {device.host.name}
        </p>
      </div>
      <div className={classes.fields}>
        <FileSystemField
          device={device}
          label={`File system on ${name}`}
          value={file_system}
          onChange={(chosen) => onChange({ ...member, ...noOptions, file_system: chosen })}
        />
        <OptionFields
          options={member}
          of={name}
          onChange={(options) => onChange({ ...member, ...options })}
        />
        <ImageNameField
          name={member.image_name}
          usual={usualNameOf(goal, file_system)}
          label={`Name of the image of ${name}`}
          onChange={(image_name) => onChange({ ...member, image_name })}
        />
        {!isBlank(member) && (
          <Confirmation
            device={device}
            typed={typed}
            onType={(text) => onChange({ ...member, typed: text })}
          />
        )}
      </div>
    </section>
  );
}

type Devices = readonly [Device, ...Device[]];

interface FormProps {
  devices: Devices;
  profiles: readonly Profile[];
  preferred: Preferred;
  onClose: () => void;
}

interface Chosen {
  goal: Goal;
  capture_mode: BatchCapture;
  how: How;
  in_memory: boolean;
  more: More;
  note: string;
  members: Member[];
}

const kept = new Map<string, Chosen>();

function useBatch({ devices, profiles, preferred }: FormProps) {
  const key = JSON.stringify([devices.map(({ id }) => id), preferred]);
  const usual = (): Chosen => ({
    goal: goalWith(usualGoal(profiles[0]?.name ?? FALLBACK_PROFILE), preferred),
    capture_mode: usualCaptureOf(devices),
    how: usualHow,
    in_memory: false,
    more: {},
    note: "",
    members: membersOf(devices),
  });
  const renewed = (before: Chosen) => ({ ...before, members: renewedMembers(before.members, devices) });
  const { chosen, change, ...rest } = useKept(kept, key, usual, renewed);
  const { goal, capture_mode, how, in_memory, more, note, members } = chosen;
  const changeMember = (changed: Member) =>
    change({ members: members.map((member) => (member.device.id === changed.device.id ? changed : member)) });
  const setMore = (changed: More) => change(withMore(goal, changed));
  const pick = (max_rmse: number | null) => change(withBudget(goal, more, max_rmse));
  const body = (): BatchCreate => ({
    ...moreFor(how.mode, goal.workload, more),
    ...goalCreate(goal),
    ...(capture_mode !== "usual" && { capture_mode }),
    ...how,
    in_memory,
    note,
    // By the state that the user saw: a run does not wait unasked for a device that became busy since.
    waits: members.some(({ device }) => device.state === "busy"),
    members: membersCreate(members),
  });
  return { ...chosen, ...rest, change, changeMember, setMore, pick, body };
}

type Batch = ReturnType<typeof useBatch>;

/** Returns the devices, each with its file system: /dev/loop1 as ext4, bench (/dev/loop2) as xfs. */
function listOf(members: readonly Member[]): string {
  return members.map(({ device, file_system }) => `${nameAndPathOf(device)} as ${file_system}`).join(", ");
}

function missing({ goal, members, capture_mode }: Batch): string | null {
  if (missingOf(goal) !== null) return missingOf(goal);
  if (whyRefusedOf(members, capture_mode) !== null) return "Choose another capture mode";
  return missingOfMembers(members);
}

function Forecast({ batch }: { batch: Batch }) {
  const { goal, members, how, more, pick } = batch;
  const [first, ...others] = byCapacity(members);
  const { profile, fullness } = goal;
  if (profile === null) return <NoForecast />;
  if (first === undefined || fullness === null || missingOf(goal) !== null)
    return <NoForecast why={missingOf(goal) ?? ""} />;
  return (
    <BatchForecast
      goal={{ ...goal, profile, fullness }}
      onPick={pick}
      mode={how.mode}
      more={more}
      members={[first, ...others]}
    />
  );
}

/** The fields of what all runs of the batch share. */
function SharedFields({
  batch,
  devices,
  profiles,
}: Pick<FormProps, "devices" | "profiles"> & { batch: Batch }) {
  const { goal, how, members } = batch;
  return (
    <div className={classes.fields}>
      <GoalFields
        goal={goal}
        profiles={profiles}
        host={devices[0].host}
        more={batch.more}
        onChange={(changed) => batch.change({ goal: changed })}
        onMore={batch.setMore}
      />
      {devices.every(canAgeInMemory) && (
        <MemoryField
          host_name="its host"
          written="each device"
          value={batch.in_memory}
          onChange={(in_memory) => batch.change({ in_memory })}
        />
      )}
      <HowFields
        how={how}
        file_systems={members.map(({ file_system }) => file_system)}
        onChange={(changed) => batch.change({ how: changed })}
      />
      <BatchCaptureField
        mode={batch.capture_mode}
        onChange={(capture_mode) => batch.change({ capture_mode })}
        whyRefused={(mode) => whyRefusedOf(members, mode)}
      />
    </div>
  );
}

function BatchForm(props: FormProps) {
  const { devices, profiles, onClose } = props;
  const navigate = useNavigate();
  const start = useStartBatch();
  const { remember } = useLastProfile();
  const [idempotency_key] = useState(newKey);
  const batch = useBatch(props);
  const { goal, members } = batch;
  const what = missing(batch);
  const blank = members.filter(isBlank).map(({ device }) => device);
  const onSubmit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (what !== null) return;
    const go = (batch_id: number) => {
      remember(goal.profile);
      batch.forget();
      void navigate({ to: "/batches/$batchId", params: { batchId: String(batch_id) } });
    };
    start.mutate({ body: batch.body(), idempotency_key }, { onSuccess: ({ id }) => go(id) });
  };
  return (
    <form onSubmit={onSubmit} className={classes.form} noValidate>
      <KeptNote startOver={batch.startOver} />
      <div className={classes.choice}>
        <SharedFields batch={batch} devices={devices} profiles={profiles} />
        <Forecast batch={batch} />
      </div>
      <MoreFields more={batch.more} mode={batch.how.mode} workload={goal.workload} onChange={batch.setMore} />
      <p className="patina-quiet">All runs share one random seed. If one device is refused, no run starts.</p>
      {members.map((member) => (
        <MemberFields key={member.device.id} member={member} goal={goal} onChange={batch.changeMember} />
      ))}
      <NoteField note={batch.note} onChange={(note) => batch.change({ note })} />
      {blank.length > 0 && <BlankDevices devices={blank} />}
      <DialogFooter
        verb={`Age ${devices.length} devices ${wordsOfGoal(goal, profiles)}`}
        warning={`Destroys all data on ${listOf(members)}.`}
        missing={what}
        error={start.error}
        isPending={start.isPending}
        onClose={onClose}
      />
    </form>
  );
}

interface DialogProps {
  devices: Devices;
  preferred: Preferred;
  onClose: () => void;
}

export function BatchDialog({ devices, preferred, onClose }: DialogProps) {
  const profiles = useQuery(profilesQuery);
  const { last } = useLastProfile();
  return (
    <Dialog onClose={onClose} size={880} title={`Age ${devices.length} devices`}>
      <Panel query={profiles} skeleton={<Fields count={5} />}>
        {(data) => (
          <BatchForm
            devices={devices}
            profiles={inOrder(data, firstOf(data, preferred.profile, last))}
            preferred={preferred}
            onClose={onClose}
          />
        )}
      </Panel>
    </Dialog>
  );
}
