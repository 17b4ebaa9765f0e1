// The glossary's terms behind the labels of figures: one place, so that a label means the same on each page.

const terms: Readonly<Record<string, string>> = {
  "Critical age bin": "critical-age-bin",
  RMSE: "rmse",
  "RMSE of the ages": "rmse",
  "Age RMSE": "rmse",
  "Size RMSE": "rmse",
  "Depth RMSE": "rmse",
  "RMSE of ages": "rmse",
  "RMSE of sizes": "rmse",
  "RMSE of depths": "rmse",
  Overwrites: "overwrites",
  "Layout score": "layout-score",
  "Inter-file score": "inter-file-score",
  "Extents a file": "extent",
  "Free extents": "extent",
  Unusable: "shingled-disk",
  "Maybe damaged": "shingled-disk",
  Lag: "reuse-lag",
  Metadata: "metadata",
  Fullness: "fullness",
  Operations: "operation",
  Pace: "pace-of-a-device",
  "Pace, whole run": "pace-of-a-device",
  "Stopped because": "stop_reason",
  Rounds: "round",
  Chunks: "chunk",
  Seed: "seed",
  Mode: "mode-of-an-aging",
  Data: "data_mode",
  Stops: "stop-conditions",
};

/** Returns the anchor of the term that a label is about; null for a label of everyday words. */
export function termOf(label: string): string | null {
  return terms[label] ?? null;
}

/** All anchors that labels refer to. */
export const labelledTerms: readonly string[] = Object.values(terms);
