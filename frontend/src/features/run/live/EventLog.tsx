// The events of a run, newest first.
import { memo } from "react";
import { count, formatCount, formatTime } from "../../../shared/units";
import classes from "./EventLog.module.css";
import type { Connection } from "./feed";
import type { Journal, ListedEvent, ListedPayload } from "./journal";

/** Returns the sentence of an event. */
function sentenceOf(payload: ListedPayload): string {
  switch (payload.type) {
    case "state":
    case "step":
    case "error":
      return payload.message;
    case "plan":
      return `Plan: ${formatCount(count(payload.horizon_ops_count)).text} operations for ${formatCount(count(payload.files_count)).text} files`;
    case "workload":
      return `Workload ${payload.workload}: about ${formatCount(count(payload.horizon_ops_count)).text} operations`;
    case "checkpoint":
      return `Checkpoint at ${formatCount(count(payload.ops_count)).text} operations`;
    case "summary":
      return `Aging ended after ${formatCount(count(payload.ops_count)).text} operations`;
    case "control":
      return payload.message === null
        ? `Command: ${payload.line}`
        : `Command refused: ${payload.line}. ${payload.message}`;
  }
}

/** A sentence; a request in it, which is for experts, is folded. */
function Sentence({ text }: { text: string }) {
  const begin = text.indexOf("{");
  if (begin === -1) return <span>{text}</span>;
  return (
    <details>
      <summary>{text.slice(0, begin).replace(/[:\s]+$/, "") || "Request"}</summary>
      <code>{text.slice(begin)}</code>
    </details>
  );
}

const Entry = memo(function Entry({ event }: { event: ListedEvent }) {
  const at = formatTime(event.at);
  return (
    <li data-type={event.payload.type}>
      <time dateTime={event.at} title={at.exact}>
        {at.text}
      </time>
      <Sentence text={sentenceOf(event.payload)} />
    </li>
  );
});

const connections: Record<Connection, string> = {
  loading: "reading stored events",
  live: "live",
  reconnecting: "reconnecting",
  ended: "complete",
  failed: "not available",
};

const SHOWN = 200;

/** The samples are events too, which the plots draw. */
const listedWords = (count: number) => `${Math.min(SHOWN, count)} ${count > SHOWN ? "newest" : "listed"}`;

export function EventLog({ journal, connection }: { journal: Journal; connection: Connection }) {
  return (
    <section aria-labelledby="events">
      <div className="patina-section">
        <h2 id="events">Events</h2>
        <span role="status" aria-live="off" aria-label="Event stream">
          {listedWords(journal.events.length)} of {journal.last_sequence} events, {connections[connection]}
        </span>
      </div>
      <ol className={classes.log} aria-label="Event log" tabIndex={0}>
        {journal.events
          .slice(-SHOWN)
          .reverse()
          .map((event) => (
            <Entry key={event.sequence} event={event} />
          ))}
      </ol>
    </section>
  );
}
