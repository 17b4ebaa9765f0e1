// Pure: the predicted times of a trial on an emulated disk.
import type { Trial } from "../../api/client";
import { formatDuration, seconds, type Formatted } from "../../shared/units";
import type { EstimateKind } from "./Estimates";
import type { MeasuredRepetition } from "./queries";

type OnDevice = Pick<Trial, "device">;
const duration = (value: number): Formatted => formatDuration(seconds(value));
const modelOf = ({ device }: OnDevice) => device.emulation?.model_label ?? "the modelled disk";

/** Returns what the bars of predicted times show, with the time that was taken beside each. */
export function predictedKind(trial: OnDevice): EstimateKind {
  return {
    title: `On ${modelOf(trial)}`,
    unit: "time of a repetition, predicted",
    estimateOf: ({ prediction }) => prediction?.predicted_s ?? null,
    noteOf: ({ prediction }) =>
      prediction?.elapsed_s == null ? null : `took ${duration(prediction.elapsed_s.mean).text} here`,
    format: duration,
  };
}

/** Returns the predicted time of a repetition with the time that it took here; null without one. */
export function predictionOf(
  trial: OnDevice,
  { measurement }: Pick<MeasuredRepetition, "measurement">,
): Formatted | null {
  const { predicted_s = null, elapsed_s = null } = measurement?.device ?? {};
  if (predicted_s === null) return null;
  const { text, exact } = duration(predicted_s);
  const took = elapsed_s === null ? "" : `; took ${duration(elapsed_s).text} here`;
  return { text, exact: `predicted ${exact} on ${modelOf(trial)}${took}` };
}
