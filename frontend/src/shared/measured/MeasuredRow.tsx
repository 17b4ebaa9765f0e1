// A trial or a study in its list.
import type { ReactNode } from "react";
import type { StudyItem, TrialItem } from "../../api/client";
import { formatTime } from "../units";
import { toneOf } from "../job";
import { restrictionOf } from "../sharing";
import { StateMark } from "../ui/StateMark";
import classes from "./MeasuredRow.module.css";

interface Props {
  item: TrialItem | StudyItem;
  /** Its name, as a link to its page. */
  children: ReactNode;
  /** What it measures. */
  subject: string;
  /** How far it is, or why it failed. */
  outcome: string;
}

export function MeasuredRow({ item, children, subject, outcome }: Props) {
  const at = formatTime(item.created_at);
  return (
    <li className={classes.row}>
      <span className={classes.name}>{children}</span>
      <span>{subject}</span>
      <StateMark tone={toneOf[item.state]}>{item.state}</StateMark>
      <span className={classes.quiet}>{item.state === "failed" ? item.message : outcome}</span>
      <span className={classes.quiet} title={at.exact}>
        {at.text}
        {item.visibility !== "everyone" && `, ${restrictionOf(item.visibility)}`}
      </span>
    </li>
  );
}
