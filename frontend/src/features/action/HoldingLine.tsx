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

function Since({ holding }: { holding: Holding }) {
  const delta = holding.delta;
  if (delta === null)
    return (
      <>
        , verified <Exact value={formatTime(holding.verified_at)} />
      </>
    );
  if (delta.incomplete_reason !== null) return <> plus writes with an incomplete trace</>;
  return (
    <>
      {" "}
      plus a delta of <Exact value={formatBytes(bytes(delta.touched_bytes))} />
    </>
  );
}

export function HoldingLine({ device: { holding, holds } }: { device: DeviceItem }) {
  if (holding === null) return <>{holds ?? "nothing"}</>;
  return (
    <>
      image{" "}
      <Link to="/images/$imageId" params={{ imageId: String(holding.image.id) }}>
        {holding.image.name}
      </Link>
      <Since holding={holding} />
      {holding.doubt !== null && DOUBTS[holding.doubt]}
      {holding.image.is_readable === false && <>; {notReadable}</>}
    </>
  );
}
