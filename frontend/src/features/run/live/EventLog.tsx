// The events of a run, newest first.
import { memo } from "react";
import type { JobEvent, JobPayload } from "../../../api/client";
import { count, formatCount, formatTime } from "../../../shared/units";
import classes from "./EventLog.module.css";
import type { Connection } from "./feed";
import type { Journal } from "./journal";

/** Returns the sentence of an event; null for samples, layouts and spaces, which are drawn. */
function sentenceOf(payload: JobPayload): string | null {
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
    case "sample":
    case "layout":
    case "space":
    case "progress":
      return null;
  }
}

const Entry = memo(function Entry({ event, sentence }: { event: JobEvent; sentence: string }) {
  const at = formatTime(event.at);
  return (
    <li data-type={event.payload.type}>
      <time dateTime={event.at} title={at.exact}>
        {at.text}
      </time>
      <span>{sentence}</span>
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

export function EventLog({ journal, connection }: { journal: Journal; connection: Connection }) {
  const told = journal.events.flatMap((event) => {
    const sentence = sentenceOf(event.payload);
    return sentence === null ? [] : [{ event, sentence }];
  });
  return (
    <section aria-labelledby="events">
      <div className="patina-section">
        <h2 id="events">Events</h2>
        <span role="status" aria-live="off" aria-label="Event stream">
          {journal.last_sequence} events, {connections[connection]}
        </span>
      </div>
      <ol className={classes.log} aria-label="Event log" tabIndex={0}>
        {told
          .slice(-SHOWN)
          .reverse()
          .map(({ event, sentence }) => (
            <Entry key={event.sequence} event={event} sentence={sentence} />
          ))}
      </ol>
    </section>
  );
}
