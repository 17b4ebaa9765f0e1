// The actions on a device and its image.
import { Button } from "@mantine/core";
import type { Action, DeviceItem, Holding } from "../../api/client";
import { nameOf } from "../../shared/device";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import classes from "./DeviceActions.module.css";
import { useStartAction } from "./queries";
import { KeepImage } from "./KeepImage";
import { RollBack } from "./RollBack";
import { newKey, requestOf } from "./words";

interface Choice {
  kind: Action["kind"];
  label: string;
  title: string;
}

const VERIFY: Choice = { kind: "verify", label: "Verify", title: "Compare every byte with the image" };
const ROLL_BACK: Choice = {
  kind: "rollback",
  label: "Roll back",
  title: "Rewrite the touched blocks from the image. Restores the bytes, not the state of an SSD's flash",
};
const CAPTURE: Choice = {
  kind: "capture",
  label: "Keep as an image",
  title: "Capture the current content as a child of the image; only changed chunks are stored",
};
const TRACE: Choice = {
  kind: "trace",
  label: "Arm a trace",
  title: "Record every write of your own benchmark, so that it can be rolled back",
};

/** Returns the actions that apply now, the likeliest first. The bytes of an emulated disk cannot be compared. */
function choicesFor({ holding, emulation }: DeviceItem): readonly Choice[] {
  return choicesOf(holding).filter((choice) => choice !== VERIFY || emulation === null);
}

function choicesOf(holding: Holding | null): readonly Choice[] {
  if (holding === null) return [];
  if (holding.delta !== null) return [ROLL_BACK, CAPTURE];
  return holding.doubt === "differs" || holding.doubt === "changed"
    ? [ROLL_BACK, VERIFY, CAPTURE]
    : [TRACE, VERIFY];
}

interface Props {
  device: DeviceItem;
  /** Whether an image was chosen to be restored: then that is the next step. */
  isForRestore: boolean;
  /** Whether an aging was chosen, or devices are being chosen for one: then the device is aged next. */
  isForAging: boolean;
  onRestore: (device: DeviceItem) => void;
}

export function DeviceActions({ device, isForRestore, isForAging, onRestore }: Props) {
  const start = useStartAction();
  const { holding } = device;
  const isChosenFor = isForRestore || isForAging;
  const isFree = device.state === "available";
  const name = nameOf(device);
  const act = (kind: Action["kind"], choices: { typed?: string | null; image_name?: string | null } = {}) => {
    const image_id = kind === "verify" ? (holding?.image.id ?? null) : null;
    start.mutate({ body: requestOf(kind, device, { image_id, ...choices }), idempotency_key: newKey() });
  };
  const isPending = (kind: Action["kind"]) => start.isPending && start.variables.body.kind === kind;
  return (
    <>
      {choicesFor(device).map(({ kind, label, title }, index) => {
        const common = { device, title, isPending: isPending(kind), isNext: index === 0 && !isChosenFor };
        if (kind === "rollback" && holding !== null)
          return (
            <RollBack key={kind} {...common} holding={holding} onRollBack={(typed) => act(kind, { typed })} />
          );
        if (kind === "capture" && holding !== null)
          return (
            <KeepImage
              key={kind}
              {...common}
              holding={holding}
              onKeep={(image_name) => act(kind, { image_name })}
            />
          );
        return (
          <Button
            key={kind}
            variant={common.isNext && isFree ? "filled" : "default"}
            title={title}
            disabled={!isFree}
            loading={common.isPending}
            onClick={() => act(kind)}
            aria-label={`${label}: ${name}`}
          >
            {label}
          </Button>
        );
      })}
      <Button
        variant={isForRestore && isFree ? "filled" : "default"}
        disabled={!isFree}
        onClick={() => onRestore(device)}
        aria-label={`Restore an image to ${name}`}
      >
        Restore
      </Button>
      {start.isError && (
        <div className={classes.refusal}>
          <RefusalNotice error={start.error} />
        </div>
      )}
    </>
  );
}
