// Amplification: bytes to the device over those of the workload, and space taken over the sizes of its files.
import type { Trial } from "../../api/client";
import { formatFraction, fraction } from "../../shared/units";
import { Estimates, type EstimateKind } from "./Estimates";
import { formatTimes } from "./words";

const kinds: readonly EstimateKind[] = [
  {
    estimateOf: (figure) => figure.write_amplification,
    title: "Write amplification",
    unit: "bytes to the device over bytes of the workload",
    format: formatTimes,
  },
  {
    estimateOf: (figure) => figure.metadata_share,
    title: "Metadata",
    unit: "of all bytes written, from the mount to the unmount",
    format: (value) => formatFraction(fraction(value)),
  },
  {
    estimateOf: (figure) => figure.space_amplification,
    title: "Space amplification",
    unit: "what the workload's files take over their sizes",
    format: formatTimes,
  },
];

export function Amplifications({ trial }: { trial: Trial }) {
  return <Estimates trial={trial} title="Amplification" kinds={kinds} />;
}
