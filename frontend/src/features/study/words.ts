// Texts for studies: titles, subjects, names of policies, formats.
import type { Study, StudyCell, StudyEstimate, StudyItem } from "../../api/client";
import { count, formatCount, formatFraction, fraction, type Formatted } from "../../shared/units";

export function titleOf({ id, name }: Pick<Study, "id" | "name">): string {
  return name === "" ? `Study ${id}` : name;
}

const subjects: Record<StudyItem["study_kind"], string> = {
  capacity: "How large a disk must be",
  cleaning: "What is moved and written",
};

export function subjectOf({ study_kind }: Pick<StudyItem, "study_kind">): string {
  return subjects[study_kind];
}

const policies: Partial<Record<StudyCell["policy"], string>> = {
  best: "best fit",
  first: "first fit",
  next: "next fit",
  "last-position": "last-position fit",
  worst: "worst fit",
};

/** Returns the name of a policy of placement or of a cleaner. */
export function nameOfPolicy(policy: StudyCell["policy"]): string {
  return policies[policy] ?? policy;
}

export const formatShare = (value: number): Formatted => formatFraction(fraction(value));
export const formatBlocks = (value: number): Formatted => ({
  text: Math.round(value).toLocaleString("en-GB"),
  exact: String(value),
});

/** Formats a ratio: 0.48, 10. */
export const formatRatioOf = (value: number): Formatted => ({
  text: value !== 0 && value < 1 ? value.toPrecision(2) : formatCount(count(value)).text,
  exact: String(value),
});

/** Returns the mean with half the width of its interval, both with the same decimals: 3.65 ± 0.26 %. */
export function textOf({ mean, half_width }: StudyEstimate, kind: "share" | "ratio" | "blocks"): string {
  const said = (value: number) =>
    kind === "blocks"
      ? formatBlocks(value).text
      : kind === "share"
        ? (value * 100).toFixed(2)
        : value.toFixed(3);
  const both = half_width === null ? said(mean) : `${said(mean)} ± ${said(half_width)}`;
  return kind === "share" ? `${both} %` : both;
}
