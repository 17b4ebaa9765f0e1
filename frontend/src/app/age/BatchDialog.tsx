// Ages several devices to one goal: shared settings, a file system and a confirmation for each, one start.
import { Button, Group, Modal, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { BatchCreate, Device, Profile } from "../../api/client";
import { newKey } from "../../features/action/words";
import { useStartBatch } from "../../features/batch/queries";
import { Confirmation } from "../../features/device/Confirmation";
import { kindOf, nameOf } from "../../features/device/words";
import { profilesQuery } from "../../features/profile/queries";
import { newestRunQuery } from "../../features/run/queries";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import classes from "./AgeDialog.module.css";
import { BatchForecast } from "./BatchForecast";
import { CaptureField, type CaptureMode } from "./CaptureField";
import { FileSystemField, usualFileSystem } from "./FileSystemField";
import { FALLBACK_PROFILE, goalCreate, inOrder, isWhole, lastProfile, usualGoal, wordsOfGoal } from "./goal";
import { GoalFields } from "./GoalFields";
import { type How, HowFields, usualHow } from "./HowFields";
import { MoreFields, moreFor } from "./MoreFields";
import { NoForecast } from "../../features/forecast/NoForecast";
import type { More } from "../../shared/settings";
import { byCapacity, memberOf, membersCreate, unconfirmedOf, whyRefusedOf, type Member } from "./member";

interface MemberProps {
  member: Member;
  onChange: (member: Member) => void;
}

function MemberFields({ member, onChange }: MemberProps) {
  const { device, file_system, typed } = member;
  const name = nameOf(device);
  return (
    <section className={classes.member} aria-label={name}>
      <div>
        <h3 className="mono">{name}</h3>
        <p className={classes.description}>
          {kindOf(device)}, {device.host.name}
        </p>
        <FileSystemField
          device={device}
          label={`File system on ${name}`}
          value={file_system}
          onChange={(chosen) => onChange({ ...member, file_system: chosen })}
        />
      </div>
      <Confirmation device={device} typed={typed} onType={(text) => onChange({ ...member, typed: text })} />
    </section>
  );
}

type Devices = readonly [Device, ...Device[]];

interface FormProps {
  devices: Devices;
  profiles: readonly Profile[];
  onClose: () => void;
}

function useBatch(devices: Devices, profiles: readonly Profile[]) {
  const navigate = useNavigate();
  const start = useStartBatch();
  const [idempotency_key] = useState(newKey);
  const [goal, setGoal] = useState(() => usualGoal(profiles[0]?.name ?? FALLBACK_PROFILE));
  const [capture_mode, setCaptureMode] = useState<CaptureMode>("allocated");
  const [how, setHow] = useState<How>(usualHow);
  const [more, setMore] = useState<More>({});
  const [members, setMembers] = useState(() => devices.map((device) => memberOf(device, usualFileSystem)));
  const change = (changed: Member) =>
    setMembers(members.map((member) => (member.device.id === changed.device.id ? changed : member)));
  const submit = () => {
    const body: BatchCreate = {
      ...moreFor(how.mode, goal.workload, more),
      ...goalCreate(goal),
      capture_mode,
      ...how,
      in_memory: false,
      note: "",
      // By the state that the user saw: a run does not wait unasked for a device that became busy since.
      waits: members.some(({ device }) => device.state === "busy"),
      members: membersCreate(members),
    };
    const go = (batch_id: number) =>
      void navigate({ to: "/batches/$batchId", params: { batchId: String(batch_id) } });
    start.mutate({ body, idempotency_key }, { onSuccess: ({ id }) => go(id) });
  };
  return {
    start,
    goal,
    setGoal,
    capture_mode,
    setCaptureMode,
    how,
    setHow,
    more,
    setMore,
    members,
    change,
    submit,
  };
}

function BatchForm({ devices, profiles, onClose }: FormProps) {
  const batch = useBatch(devices, profiles);
  const { start, goal, setGoal, capture_mode, setCaptureMode, how, setHow, members, change, submit } = batch;
  const why = (mode: CaptureMode) => whyRefusedOf(members, mode);
  const mayStart = unconfirmedOf(members).length === 0 && why(capture_mode) === null && isWhole(goal);
  const [first = memberOf(devices[0], usualFileSystem), ...others] = byCapacity(members);
  const onSubmit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (mayStart) submit();
  };
  return (
    <form onSubmit={onSubmit} className={classes.form}>
      <div className={classes.choice}>
        <div className={classes.fields}>
          <GoalFields
            goal={goal}
            profiles={profiles}
            host={devices[0].host}
            more={batch.more}
            onChange={setGoal}
            onMore={batch.setMore}
          />
          <HowFields
            how={how}
            file_systems={members.map(({ file_system }) => file_system)}
            onChange={setHow}
          />
          <CaptureField mode={capture_mode} onChange={setCaptureMode} whyRefused={why} />
        </div>
        {goal.profile === null ? (
          <NoForecast />
        ) : (
          <BatchForecast
            profile={goal.profile}
            fullness={goal.fullness}
            mode={how.mode}
            more={batch.more}
            members={[first, ...others]}
          />
        )}
      </div>
      <MoreFields more={batch.more} mode={how.mode} workload={goal.workload} onChange={batch.setMore} />
      <p className="patina-quiet">All runs share one random seed. If one device is refused, no run starts.</p>
      {members.map((member) => (
        <MemberFields key={member.device.id} member={member} onChange={change} />
      ))}
      {start.isError && <RefusalNotice error={start.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={!mayStart} loading={start.isPending}>
          Age {devices.length} devices {wordsOfGoal(goal, profiles)}
        </Button>
      </Group>
    </form>
  );
}

export function BatchDialog({ devices, onClose }: { devices: Devices; onClose: () => void }) {
  const profiles = useQuery(profilesQuery);
  const newest = useQuery({ ...newestRunQuery, staleTime: 0 });
  const skeleton = <Skeleton height={380} />;
  return (
    <Modal
      opened
      onClose={onClose}
      size={880}
      title={`Age ${devices.length} devices`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Panel query={profiles} skeleton={skeleton}>
        {(data) =>
          newest.isPending ? (
            skeleton
          ) : (
            <BatchForm
              devices={devices}
              profiles={inOrder(data, lastProfile(newest.data))}
              onClose={onClose}
            />
          )
        }
      </Panel>
    </Modal>
  );
}
