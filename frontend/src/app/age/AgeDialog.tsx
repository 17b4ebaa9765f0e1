// The one click: what to age the device to, the forecast beside it, and the confirmation that names the device.
import { Button, Group, Modal, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { Device, Profile, Run } from "../../api/client";
import { newKey } from "../../features/action/words";
import { Confirmation, isConfirmed } from "../../features/device/Confirmation";
import { nameOf } from "../../features/device/words";
import { ForecastPanel, type Pace } from "../../features/forecast/ForecastPanel";
import { profilesQuery } from "../../features/profile/queries";
import { newestRunQuery, runsOfDeviceQuery, useStartRun } from "../../features/run/queries";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { formatFraction, fraction } from "../../shared/units";
import classes from "./AgeDialog.module.css";
import { CaptureField, type CaptureMode } from "./CaptureField";
import { GoalFields, type Goal } from "./GoalFields";

const FALLBACK_PROFILE = "agrawal";
const DEFAULT_FULLNESS = 0.7;

function paceOf(runs: readonly Run[]): Pace | null {
  const run = runs.find(({ summary }) => summary !== null);
  return run?.summary ? { ops_per_s: run.summary.ops_per_s, run_id: run.id } : null;
}

/** Last used first, then by title as the server has them. */
function inOrder(profiles: readonly Profile[], last: string): Profile[] {
  return [...profiles].sort((a, b) => Number(b.name === last) - Number(a.name === last));
}

interface FormProps {
  device: Device;
  profiles: readonly Profile[];
  pace: Pace | null;
  onClose: () => void;
}

function AgeForm({ device, profiles, pace, onClose }: FormProps) {
  const navigate = useNavigate();
  const start = useStartRun();
  const [idempotency_key] = useState(newKey);
  const [goal, setGoal] = useState<Goal>({
    profile: profiles[0]?.name ?? FALLBACK_PROFILE,
    fullness: DEFAULT_FULLNESS,
  });
  const [capture_mode, setCaptureMode] = useState<CaptureMode>("allocated");
  const [typed, setTyped] = useState("");
  const mayStart = isConfirmed(device, typed);
  const title = profiles.find(({ name }) => name === goal.profile)?.title ?? goal.profile;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!mayStart) return;
    const confirmation = {
      stable_id: device.stable_id,
      size_bytes: device.size_bytes,
      typed: typed === "" ? null : typed,
    };
    const body = {
      device_id: device.id,
      ...goal,
      capture_mode,
      confirmation,
      file_system: "ext4",
      data_mode: "fallocate",
    } as const;
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
          <CaptureField mode={capture_mode} onChange={setCaptureMode} />
        </div>
        <ForecastPanel request={{ ...goal, capacity_bytes: device.capacity_estimate_bytes }} pace={pace} />
      </div>
      <Confirmation device={device} typed={typed} onType={setTyped} />
      {start.isError && <RefusalNotice error={start.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={!mayStart} loading={start.isPending}>
          Age {nameOf(device)} to {title}, {formatFraction(fraction(goal.fullness)).text}
        </Button>
      </Group>
    </form>
  );
}

interface DialogProps {
  device: Device;
  preferred: string | null;
  onClose: () => void;
}

export function AgeDialog({ device, preferred, onClose }: DialogProps) {
  const profiles = useQuery(profilesQuery);
  const newest = useQuery({ ...newestRunQuery, staleTime: 0 });
  const earlier = useQuery(runsOfDeviceQuery(device.id));
  const isSettled = !newest.isPending && !earlier.isPending;
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
          isSettled ? (
            <AgeForm
              device={device}
              profiles={inOrder(data, preferred ?? newest.data?.profile.name ?? FALLBACK_PROFILE)}
              pace={paceOf(earlier.data ?? [])}
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
