// Texts for the stop reasons of a run.
import type { AgeSummary } from "../../api/client";

export const stopReasons: Record<AgeSummary["stop_reason"], string> = {
  converged: "converged",
  completed: "all its operations are done",
  fullness_missed: "fullness missed",
  accuracy_reached: "accuracy reached",
  overwrites_reached: "overwrites reached",
  time_reached: "time reached",
  canceled: "canceled",
};
