// What a run on an emulated disk shows of its predicted time.
import { expect, test } from "vitest";
import type { Prediction, Run, Sample } from "../../../api/client";
import type { Telemetry } from "../live/telemetry";
import { predictedSoFar } from "./Measured";

const emulation = { model_label: "Hitachi 1 TB", time: "fast" };
const sample = { elapsed_s: 41, predicted_s: 4320 } as Sample;

function soFar(of: {
  emulation?: object | null;
  sample?: Sample | null;
  summary?: object | null;
  prediction?: Partial<Prediction> | null;
}): Prediction | null {
  const run = { device: { emulation: of.emulation ?? null }, prediction: of.prediction ?? null };
  const telemetry = { sample: of.sample ?? null, summary: of.summary ?? null };
  return predictedSoFar(run as unknown as Run, telemetry as unknown as Telemetry);
}

test("while a run ages on a modelled disk, the last sample has what is predicted so far", () => {
  const expected = {
    model_label: "Hitachi 1 TB",
    time: "fast",
    elapsed_s: 41,
    predicted_s: 4320,
    is_whole: true,
  };
  expect(soFar({ emulation, sample })).toEqual(expected);
  const prediction = { is_whole: false };
  expect(soFar({ emulation, sample, prediction })).toEqual({ ...expected, is_whole: false });
});

test("without a model, a sample or a measurement nothing is predicted so far, nor after the aging", () => {
  expect(soFar({ emulation: null, sample })).toBeNull();
  expect(soFar({ emulation: { ...emulation, model_label: null }, sample })).toBeNull();
  expect(soFar({ emulation })).toBeNull();
  expect(soFar({ emulation, sample: { ...sample, predicted_s: null } })).toBeNull();
  expect(soFar({ emulation, sample, summary: {} })).toBeNull();
});
