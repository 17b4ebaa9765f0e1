// A run, live or ended, in the same layout.
import { Group } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo, useDeferredValue, useMemo, type ReactNode } from "react";
import type { Run, Space } from "../../api/client";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { FigureLines, Plots, Rows, Soon } from "../../shared/ui/waiting/shapes";
import { Reconnecting } from "../../shared/ui/Reconnecting";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { ShareWith } from "../../shared/link/ShareWith";
import { StateMark } from "../../shared/ui/StateMark";
import { useTabProgress } from "../../shared/ui/useTabTitle";
import { bytes, formatBytes, formatFraction, formatTime, fraction } from "../../shared/units";
import { EventLog } from "./live/EventLog";
import type { FeedSnapshot } from "./live/feed";
import { FreeSpace } from "./figures/FreeSpace";
import { isEnded, toneOf } from "../../shared/job";
import { useShareJob } from "../../shared/sharing";
import { unusual } from "../../shared/settings";
import { InQueue } from "./queue/InQueue";
import { PhaseStepper } from "./live/PhaseStepper";
import { runQuery } from "./queries";
import { RunFailure } from "./RunFailure";
import { Measured } from "./figures/Measured";
import { RunInterrupted } from "./steer/RunInterrupted";
import { RenameRun, RunNames } from "./naming/RunNames";
import { RunTwins } from "./figures/RunTwins";
import { SteerRun } from "./steer/SteerRun";
import { progressOf, telemetryOf, type Telemetry } from "./live/telemetry";
import { useRunFeed } from "./live/useRunFeed";
import { goalOf } from "../../shared/goal";
import { deviceOf } from "./words";

function tabOf(run: Run, telemetry: Telemetry): string {
  const progress_fraction = progressOf(telemetry);
  if (isEnded(telemetry.state) || progress_fraction === null) return `Run ${run.id} ${telemetry.state}`;
  return `${formatFraction(fraction(progress_fraction)).text} ${telemetry.phase ?? ""} · Run ${run.id}`;
}

function LinkToRun({ run_id }: { run_id: number }) {
  return (
    <Link to="/runs/$runId" params={{ runId: String(run_id) }} className="patina-link">
      run {run_id}
    </Link>
  );
}

/** Links to the related runs and the batch. */
function RelatedTo({ run: { extends_id, replay_of, reproduces_id, batch_id } }: { run: Run }) {
  return (
    <>
      {reproduces_id !== null && (
        <>
          , by the recipe of{" "}
          <Link to="/images/$imageId" params={{ imageId: String(reproduces_id) }} className="patina-link">
            image {reproduces_id}
          </Link>
        </>
      )}
      {extends_id !== null && (
        <>
          , continues <LinkToRun run_id={extends_id} />
        </>
      )}
      {replay_of !== null && (
        <>
          , by the log of <LinkToRun run_id={replay_of} />
        </>
      )}
      {batch_id !== null && (
        <>
          , of{" "}
          <Link to="/batches/$batchId" params={{ batchId: String(batch_id) }} className="patina-link">
            batch {batch_id}
          </Link>
        </>
      )}
    </>
  );
}

function CompareWith({ run }: { run: Run }) {
  return (
    <LinkButton variant="default" to="/runs" search={{ chosen: String(run.id) }}>
      Compare with…
    </LinkButton>
  );
}

function ShareRun({ run }: { run: Run }) {
  return (
    <ShareWith
      shared={run}
      share={useShareJob(run.id)}
      shown={{ job_id: run.id }}
      what="this run and its figures"
    />
  );
}

/** The sentence below the title: its name, its goal, where and when, and what is unusual about it. */
function About({ run }: { run: Run }) {
  const created = formatTime(run.created_at);
  const size = formatBytes(bytes(run.device.size_bytes));
  return (
    <>
      {run.name !== "" && <strong>{run.name}: </strong>}
      {goalOf(run)}, {run.file_system} on <span className="mono">{deviceOf(run)}</span> (
      <span title={size.exact}>{size.text}</span>){run.in_memory && ", in memory first"}, since{" "}
      <span title={created.exact}>{created.text}</span>
      <RelatedTo run={run} />
      {unusual(run, ["seed", "keeps_log"]).map(([title, text]) => (
        <span key={title}>
          . {title}: {text}
        </span>
      ))}
    </>
  );
}

/** Content from other features. */
interface Slots {
  /** Links to continue from the run's result. */
  whenSucceeded: ReactNode;
  bell: ReactNode;
  hostNotice: (run: Run) => ReactNode;
  /** `space` is the newest measurement of the run itself. */
  blockMap: (space: Space | null, isSucceeded: boolean) => ReactNode;
}

interface LoadedProps extends Slots {
  run: Run;
  feed: FeedSnapshot;
}

const LoadedRun = memo(({ run, feed, whenSucceeded, bell, hostNotice, blockMap }: LoadedProps) => {
  const telemetry = useMemo(() => telemetryOf(run, feed.journal), [run, feed.journal]);
  const isOver = isEnded(telemetry.state);
  useTabProgress(isOver ? null : progressOf(telemetry));
  return (
    <>
      <PageHeader
        title={`Run ${run.id}`}
        tab={tabOf(run, telemetry)}
        badge={
          <>
            <RenameRun run={run} />
            <StateMark tone={toneOf[telemetry.state]}>{telemetry.state}</StateMark>
          </>
        }
        changesActions
        action={
          <Group gap="xs">
            <CompareWith run={run} />
            {isOver ? (
              <LinkButton variant="default" to="/devices" search={{ like: run.id }}>
                Run it again
              </LinkButton>
            ) : (
              bell
            )}
            <ShareRun run={run} />
            {telemetry.state === "succeeded" && whenSucceeded}
            {!isOver && run.is_changeable && <SteerRun run={run} telemetry={telemetry} />}
          </Group>
        }
      >
        <About run={run} />
      </PageHeader>
      <div className="patina-stack">
        {feed.connection === "reconnecting" && (
          <Reconnecting>The run continues; no events are lost.</Reconnecting>
        )}
        {(!isOver || telemetry.state === "interrupted") && hostNotice(run)}
        {telemetry.state === "failed" && <RunFailure run={run} />}
        {telemetry.state === "interrupted" && <RunInterrupted run={run} said={telemetry.said} />}
        {telemetry.state === "queued" && <InQueue run={run} />}
        <PhaseStepper run={run} telemetry={telemetry} />
        <Measured run={run} telemetry={telemetry} />
        <div className="patina-halves">
          <FreeSpace
            free={telemetry.free_extents}
            isOver={isOver}
            layouts={run.workload === "fsfb" ? [] : telemetry.layouts}
            blockMap={blockMap(telemetry.space, telemetry.state === "succeeded")}
          />
          <EventLog journal={feed.journal} connection={feed.connection} />
        </div>
        {run.operation_log_bytes !== null && <RunTwins run_id={run.id} log_bytes={run.operation_log_bytes} />}
        <RunNames run={run} />
      </div>
    </>
  );
});

interface Props extends Slots {
  run_id: number;
}

export function RunView({ run_id, ...slots }: Props) {
  const { snapshot: feed, retry } = useRunFeed(run_id);
  const run = useQuery({
    ...runQuery(run_id, feed.journal.facts.moves_count),
    placeholderData: keepPreviousData,
  });
  // All plots appear with the first events: plots that appear one by one would move others under the pointer.
  const isComing = feed.connection === "loading" && feed.journal.last_sequence === 0;
  // The first rendering is the longest: in slices, after the one of the waiting page.
  const loaded = useDeferredValue(isComing ? undefined : run.data, undefined);
  if (loaded !== undefined) return <LoadedRun run={loaded} feed={feed} {...slots} />;
  return (
    <>
      <PageHeader title={`Run ${run_id}`} />
      {run.isError ? (
        <RefusalNotice
          error={run.error}
          onRetry={() => {
            retry();
            void run.refetch();
          }}
        />
      ) : (
        <div role="status" aria-label="Loading">
          <Soon>
            <div className="patina-stack">
              <Rows count={1} />
              <FigureLines count={8} />
              <Plots />
              <Plots count={1} height={280} />
            </div>
          </Soon>
        </div>
      )}
    </>
  );
}
