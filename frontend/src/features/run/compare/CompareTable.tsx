// Figures of several runs side by side, with differences marked. On a phone each figure is a separate block.
import { Progress, Switch, UnstyledButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { HostMark } from "../../../api/client";
import { StateMark } from "../../../shared/ui/StateMark";
import { isEnded, toneOf } from "../../../shared/job";
import { farOf, type Compared } from "./compared";
import classes from "./CompareTable.module.css";
import { figureGroups, type Cell, type FigureGroup, type FigureRow, type ImageFacts } from "./figures";
import { Stroke } from "../../../shared/chart/lines/Readings";

type MarkHost = (host: HostMark) => ReactNode;

interface WordsProps {
  cell: Cell;
  compared: Compared;
  label: string;
  hostMark: MarkHost;
}

function Words({ cell, compared, label, hostMark }: WordsProps) {
  if (cell.image_id !== undefined)
    return (
      <Link to="/images/$imageId" params={{ imageId: String(cell.image_id) }} className="patina-link">
        {cell.text}
      </Link>
    );
  const { state } = compared.telemetry;
  if (label === "State")
    return (
      <>
        <StateMark tone={toneOf[state]}>{state}</StateMark>
        {!isEnded(state) && hostMark(compared.run.device.host)}
      </>
    );
  return <span title={cell.exact}>{cell.text}</span>;
}

interface RowProps {
  row: FigureRow;
  runs: readonly Compared[];
  hostMark: MarkHost;
}

function Row({ row, runs, hostMark }: RowProps) {
  return (
    <tr className={row.differs ? classes.differs : undefined}>
      <th scope="row">
        {row.label}
        {row.differs && (
          <span className={classes.mark} title="Differs between runs">
            <span aria-hidden>≠</span>
            <span className={classes.spoken}>differs</span>
          </span>
        )}
      </th>
      {runs.map((compared, index) => (
        <td key={compared.run.id} data-run={compared.label}>
          <Words
            cell={row.cells[index] ?? { text: "–" }}
            compared={compared}
            label={row.label}
            hostMark={hostMark}
          />
        </td>
      ))}
    </tr>
  );
}

interface HeadProps {
  runs: readonly Compared[];
  onLeaveOut?: ((run_id: number) => void) | undefined;
}

/** The progress of a run that has not ended, and the time left. */
function HowFar({ compared }: { compared: Compared }) {
  const far = farOf(compared);
  if (far === null) return null;
  return (
    <div className={classes.far}>
      {far.share === null ? (
        <div className={classes.noBar} />
      ) : (
        <Progress
          value={100 * far.share}
          aria-label={`Progress of run ${compared.run.id}`}
          transitionDuration={0}
        />
      )}
      {far.text}
    </div>
  );
}

function Head({ runs, onLeaveOut }: HeadProps) {
  return (
    <thead>
      <tr>
        <td />
        {runs.map((compared) => {
          const { run, mark, label } = compared;
          return (
            <th key={run.id} scope="col">
              <Stroke line={mark} />
              {label !== `run ${run.id}` && <strong>{label}</strong>}
              <Link to="/runs/$runId" params={{ runId: String(run.id) }} className="patina-link">
                Run {run.id}
                {run.name !== "" && label !== run.name && `: ${run.name}`}
              </Link>
              {onLeaveOut !== undefined && (
                <UnstyledButton
                  className={classes.out}
                  aria-label={`Leave run ${run.id} out`}
                  onClick={() => onLeaveOut(run.id)}
                >
                  Leave out
                </UnstyledButton>
              )}
              <HowFar compared={compared} />
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface Props extends HeadProps {
  images: ReadonlyMap<number, ImageFacts>;
  hostMark: MarkHost;
}

/** Reports whether a row is shown: all that was measured, but of the settings those that differ. */
function isShown({ differs }: FigureRow, { isMeasured }: FigureGroup, hasEqual: boolean): boolean {
  return isMeasured || differs || hasEqual;
}

export function CompareTable({ runs, images, hostMark, onLeaveOut }: Props) {
  const [hasEqual, setHasEqual] = useState(false);
  const groups = figureGroups(runs, images)
    .map((group) => ({ ...group, rows: group.rows.filter((row) => isShown(row, group, hasEqual)) }))
    .filter(({ rows }) => rows.length > 0);
  return (
    <section aria-labelledby="figures">
      <div className="patina-section">
        <h2 id="figures">Figures</h2>
        <Switch
          label="Show equal settings"
          size="xs"
          checked={hasEqual}
          onChange={(event) => setHasEqual(event.currentTarget.checked)}
        />
      </div>
      <table className={classes.table} aria-label="Figures of the runs">
        <Head runs={runs} onLeaveOut={onLeaveOut} />
        {groups.map(({ title, rows }) => (
          <tbody key={title}>
            <tr className={classes.group}>
              <th colSpan={runs.length + 1} scope="rowgroup">
                {title}
              </th>
            </tr>
            {rows.map((row) => (
              <Row key={row.label} row={row} runs={runs} hostMark={hostMark} />
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}
