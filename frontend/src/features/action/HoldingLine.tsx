// The holding of a device in a line: its image, the time of the verification, and the delta since.
import { Link } from "@tanstack/react-router";
import type { DeviceItem, Holding } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { notReadable } from "../../shared/modes";
import { bytes, formatBytes, formatTime } from "../../shared/units";

const DOUBTS = {
  differs: "; a comparison found different bytes",
  changed: "; may have been written to since, without a trace",
  unknown: "; later writes are not known",
} as const satisfies Record<NonNullable<Holding["doubt"]>, string>;

/** Reports whether a trace records the writes now: what it will have seen is not known yet. */
function isTraced({ jobs }: DeviceItem): boolean {
  return jobs[0]?.kind === "trace" && jobs[0].state !== "interrupted";
}

function Since({ holding }: { holding: Holding }) {
  const delta = holding.delta;
  if (delta === null)
    return (
      <>
        , verified <Exact value={formatTime(holding.verified_at)} />
      </>
    );
  if (delta.incomplete_reason !== null)
    return <>, changed since, of which the trace is incomplete: a rollback compares every byte</>;
  return (
    <>
      , changed since:{" "}
      <span style={{ whiteSpace: "nowrap" }}>
        <Exact value={formatBytes(bytes(delta.touched_bytes))} />
      </span>
    </>
  );
}

export function HoldingLine({ device }: { device: DeviceItem }) {
  const { holding, holds } = device;
  if (holding === null) return <>{holds ?? "nothing"}</>;
  return (
    <>
      image{" "}
      <Link to="/images/$imageId" params={{ imageId: String(holding.image.id) }}>
        {holding.image.name}
      </Link>
      {holding.image.is_deleted && <>, which is deleted</>}
      {isTraced(device) ? <>, being traced</> : <Since holding={holding} />}
      {holding.doubt !== null && DOUBTS[holding.doubt]}
      {holding.image.is_readable === false && device.emulation === null && <>; {notReadable}</>}
    </>
  );
}
