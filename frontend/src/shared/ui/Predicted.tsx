// What the model of an emulated disk predicts, always marked as a prediction, with its meaning at hand.
import type { Prediction } from "../../api/client";
import { Term } from "../help/Term";
import { formatDuration, seconds } from "../units";
import { Exact } from "./Exact";

/** The word that marks a prediction, with its meaning by the mouse, the keyboard or a finger. */
export function PredictedWord() {
  return <Term of="prediction-of-an-emulated-disk">predicted</Term>;
}

/** The time here beside the predicted one: "took 41 s here; predicted 1 h 12 min on Hitachi 80 GB, fast time". */
export function Predicted({ prediction, isSoFar = false }: { prediction: Prediction; isSoFar?: boolean }) {
  const { elapsed_s, predicted_s, model_label, time, is_whole } = prediction;
  return (
    <>
      {!isSoFar && "took "}
      <Exact value={formatDuration(seconds(elapsed_s))} /> here; <PredictedWord />{" "}
      <Exact value={formatDuration(seconds(predicted_s))} /> {isSoFar && "so far "}on {model_label}, {time}{" "}
      time
      {!is_whole && "; a part of it was not measured"}
    </>
  );
}
