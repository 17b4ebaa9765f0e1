import { expect, test } from "vitest";
import type { Trial, TrialFigure } from "../../api/client";
import { predictedKind, predictionOf } from "./predicted";
import type { MeasuredRepetition } from "./queries";

const estimate = (mean: number) => ({ count: 1, mean, low: null, high: null, deviation: null });
const figureOf = (prediction: TrialFigure["prediction"]) => ({ prediction }) as TrialFigure;
const predicted = figureOf({ elapsed_s: estimate(41), predicted_s: estimate(4320) });
const plain = figureOf(null);
const trial = { device: { emulation: { model_label: "Hitachi 80 GB" } } } as Trial;
const measured = (device: object) => ({ measurement: { device } }) as MeasuredRepetition;

test("predicted times have bars, with the time that was taken beside them", () => {
  const kind = predictedKind(trial);
  expect([kind.title, kind.unit]).toEqual(["On Hitachi 80 GB", "time of a repetition, predicted"]);
  expect(kind.estimateOf(predicted)?.mean).toBe(4320);
  expect(kind.noteOf?.(predicted)).toBe("took 41 s here");
  expect(kind.noteOf?.(figureOf({ elapsed_s: null, predicted_s: estimate(4320) }))).toBeNull();
  expect(kind.format(4320).text).toBe("1 h 12 min");
  expect(kind.estimateOf(plain)).toBeNull();
});

test("a repetition shows its predicted time, marked as one", () => {
  expect(predictionOf(trial, measured({ elapsed_s: 41, predicted_s: 4320 }))).toEqual({
    text: "1 h 12 min",
    exact: "predicted 4,320 s on Hitachi 80 GB; took 41 s here",
  });
  expect(predictionOf(trial, measured({ predicted_s: 4320 }))?.exact).toBe(
    "predicted 4,320 s on Hitachi 80 GB",
  );
});

test("a repetition without a disk model has no predicted time", () => {
  expect(predictionOf(trial, measured({ elapsed_s: 41, predicted_s: null }))).toBeNull();
  expect(predictionOf(trial, { measurement: null })).toBeNull();
});
