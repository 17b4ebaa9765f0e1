// A study in the list.
import { Link } from "@tanstack/react-router";
import type { StudyItem } from "../../api/client";
import { MeasuredRow } from "../../shared/measured/MeasuredRow";
import { subjectOf, titleOf } from "./words";

export function StudyRow({ study }: { study: StudyItem }) {
  const cells = `${study.cells_count} ${study.cells_count === 1 ? "cell" : "cells"}`;
  return (
    <MeasuredRow
      item={study}
      subject={`${subjectOf(study)}, ${cells}`}
      outcome={`${study.done_count} of ${study.total_count} results`}
    >
      <Link to="/studies/$studyId" params={{ studyId: String(study.id) }}>
        {titleOf(study)}
      </Link>
    </MeasuredRow>
  );
}
