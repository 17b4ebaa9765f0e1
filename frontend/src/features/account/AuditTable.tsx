// The audit trail as a table: who did what, to what, from where.
import type { AuditEntry } from "../../api/client";
import { StateMark } from "../../shared/ui/StateMark";
import { formatTime } from "../../shared/units";
import classes from "./AuditTable.module.css";

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the detail in words: rows made and deleted, values before and after. */
function detailOf({ detail }: AuditEntry): string {
  const parts: string[] = [];
  const list = (name: string) => (Array.isArray(detail[name]) ? detail[name].map(asText).join(", ") : "");
  if (list("made") !== "") parts.push(`made ${list("made")}`);
  if (list("deleted") !== "") parts.push(`deleted ${list("deleted")}`);
  for (const [row, columns] of Object.entries(detail["changed"] ?? {}))
    for (const [column, [before, after]] of Object.entries(columns as Record<string, [unknown, unknown]>))
      parts.push(`${row}: ${column} from ${asText(before)} to ${asText(after)}`);
  if (typeof detail["code"] === "string") parts.push(detail["code"]);
  return parts.join("; ");
}

function EntryRow({ entry }: { entry: AuditEntry }) {
  const at = formatTime(entry.at);
  return (
    <tr>
      <td className={classes.when} title={at.exact}>
        {at.text}
      </td>
      <td>
        {entry.account_name || "not signed in"}
        <div className="patina-quiet">{entry.address}</div>
      </td>
      <td>
        {entry.action.replaceAll("_", " ")}
        <div className="patina-quiet mono">{entry.path.replace("/api/v1", "")}</div>
      </td>
      <td>
        <StateMark tone={entry.outcome === "done" ? "good" : "bad"}>{entry.outcome}</StateMark>
      </td>
      <td className={classes.detail}>{detailOf(entry)}</td>
    </tr>
  );
}

export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label="Entries of the audit trail">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who, from where</th>
            <th scope="col">What</th>
            <th scope="col">Outcome</th>
            <th scope="col">Effect</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <EntryRow key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
