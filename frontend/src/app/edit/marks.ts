// Pure: the forecast's remarks on single bins, as marks on the edited bars.
import type { Plan } from "../../api/client";
import type { BinMark } from "../../features/profile/editor/bars/Bars";
import type { EditorMarks } from "../../features/profile/editor/ProfileEditor";

const reasons = {
  too_large: "set aside: too large for this capacity",
  too_rare: "set aside: too rare at this scale",
} as const;

export const noMarks: EditorMarks = { size: new Map(), depth: new Map(), age: new Map() };

export function marksOf(forecast: Plan | undefined): EditorMarks {
  if (forecast === undefined) return noMarks;
  const marks = {
    size: new Map<number, BinMark>(),
    depth: new Map<number, BinMark>(),
    age: new Map<number, BinMark>(),
  };
  for (const { histogram, edge, reason } of forecast.set_aside)
    marks[histogram].set(edge, { mark: "set_aside", note: reasons[reason] });
  const critical = forecast.histograms.age[forecast.critical_age_bin];
  if (critical !== undefined)
    marks.age.set(critical.edge, { mark: "critical", note: "critical: it sets the length of the run" });
  return marks;
}
