// A study in the list.
import { Link } from "@tanstack/react-router";
import type { StudyItem } from "../../api/client";
import { toneOf } from "../../shared/job";
import { restrictionOf } from "../../shared/sharing";
import { StateMark } from "../../shared/ui/StateMark";
import { formatTime } from "../../shared/units";
import classes from "./StudyRow.module.css";
import { subjectOf, titleOf } from "./words";

export function StudyRow({ study }: { study: StudyItem }) {
  const at = formatTime(study.created_at);
  return (
    <li className={classes.row}>
      <Link to="/studies/$studyId" params={{ studyId: String(study.id) }} className={classes.name ?? ""}>
        {titleOf(study)}
      </Link>
      <span>
        {subjectOf(study)}, {study.cells_count} {study.cells_count === 1 ? "cell" : "cells"}
      </span>
      <StateMark tone={toneOf[study.state]}>{study.state}</StateMark>
      <span className={classes.quiet}>
        {study.state === "failed" ? study.message : `${study.done_count} of ${study.total_count} results`}
      </span>
      <span className={classes.quiet} title={at.exact}>
        {at.text}
        {study.visibility !== "everyone" && `, ${restrictionOf(study.visibility)}`}
      </span>
    </li>
  );
}
