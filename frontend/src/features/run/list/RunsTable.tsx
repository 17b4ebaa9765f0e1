// The list of runs as a table with orders; on a narrow page each row is a block.
import { Checkbox, Pill, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import type { RunItem, RunSort } from "../../../api/client";
import { goalOf } from "../../../shared/goal";
import { toneOf } from "../../../shared/job";
import { restrictionOf } from "../../../shared/sharing";
import { Exact } from "../../../shared/ui/Exact";
import { StateMark } from "../../../shared/ui/StateMark";
import { formatDuration, formatTime, seconds } from "../../../shared/units";
import { budgetOf, deviceOf } from "../words";
import classes from "./RunsTable.module.css";
import { sorts, type RunsSearch } from "./search";
import { CHOICE_OF_RUNS, groupsOf, outcomeOf, predictionOf, sizeOf, sortedBy, type Group } from "./words";

export interface Choice {
  chosen: readonly number[];
  /** The largest number of chosen runs. */
  limit: number;
  choose: (ids: readonly number[]) => void;
}

interface Props {
  runs: readonly RunItem[];
  search: RunsSearch;
  onChange: (search: RunsSearch) => void;
  choice: Choice;
  /** Whether the rows are those of the search before. */
  isBusy: boolean;
  bell: (run: RunItem) => ReactNode;
}

/** Each column has one head, which orders the list by one property of its runs. */
const columns: readonly { title: string; by?: RunSort }[] = [
  { title: "Run", by: "name" },
  { title: "Goal", by: "fullness" },
  { title: "File system" },
  { title: "Device", by: "size" },
  { title: "Seed" },
  { title: "Stops" },
  { title: "State", by: "age_rmse" },
  { title: "Created", by: "created" },
];

function ColumnHead({
  title,
  by,
  search,
  onChange,
}: (typeof columns)[number] & Pick<Props, "search" | "onChange">) {
  const isDescending = search.is_descending ?? true;
  const isSorted = by === (search.sort ?? "created");
  if (by === undefined) return <th scope="col">{title}</th>;
  const what = sorts[by].title.toLowerCase();
  return (
    <th scope="col" aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}>
      <UnstyledButton
        className={classes.sort}
        data-sorted={isSorted}
        aria-label={`${title}: order by ${what}`}
        title={`Order by ${what}`}
        onClick={() => onChange(sortedBy(search, by))}
      >
        {title}
        <span aria-hidden>{isSorted ? (isDescending ? " ↓" : " ↑") : ""}</span>
      </UnstyledButton>
      {isSorted && title !== sorts[by].title && <div>by {what}</div>}
    </th>
  );
}

/** Chooses the first runs shown, as many as can be compared, or none. */
function ChooseAll({ runs, choice: { chosen, limit, choose } }: Pick<Props, "runs" | "choice">) {
  const all = runs.slice(0, limit).map(({ id }) => id);
  const areChosen = all.length > 0 && all.every((id) => chosen.includes(id));
  const label = runs.length > limit ? `Choose the first ${limit} runs` : "Choose all runs";
  const { hash } = useLocation();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (hash === CHOICE_OF_RUNS) field.current?.focus();
  }, [hash]);
  return (
    <Checkbox
      ref={field}
      id={CHOICE_OF_RUNS}
      size="xs"
      aria-label={label}
      title={label}
      checked={areChosen}
      indeterminate={!areChosen && chosen.length > 0}
      onChange={() => choose(areChosen ? [] : all)}
    />
  );
}

function Head({ runs, search, onChange, choice }: Omit<Props, "bell" | "isBusy">) {
  return (
    <thead>
      <tr>
        <td>
          <ChooseAll runs={runs} choice={choice} />
        </td>
        {columns.map((column) => (
          <ColumnHead key={column.title} {...column} search={search} onChange={onChange} />
        ))}
        <th scope="col" className={classes.bell}>
          <VisuallyHidden>Notify</VisuallyHidden>
        </th>
      </tr>
    </thead>
  );
}

function When({ run }: { run: RunItem }) {
  const elapsed =
    run.started_at === null || run.finished_at === null
      ? null
      : formatDuration(seconds((Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000));
  return (
    <td className={classes.quiet} data-label="Created">
      <Exact value={formatTime(run.created_at)} />
      {elapsed !== null && (
        <>
          ,{" "}
          <span className={classes.whole}>
            took <Exact value={elapsed} />
          </span>
        </>
      )}
      {run.visibility !== "everyone" && `, ${restrictionOf(run.visibility)}`}
      {run.batch_id !== null && (
        <>
          ,{" "}
          <Link to="/batches/$batchId" params={{ batchId: String(run.batch_id) }} className="patina-link">
            batch {run.batch_id}
          </Link>
        </>
      )}
      {run.prediction !== null && (
        <div title={predictionOf(run.prediction).exact}>{predictionOf(run.prediction).text}</div>
      )}
    </td>
  );
}

type RowProps = Pick<Props, "choice" | "bell"> & { run: RunItem };

function Row({ run, choice: { chosen, limit, choose }, bell }: RowProps) {
  const isChosen = chosen.includes(run.id);
  const toggle = () => choose(isChosen ? chosen.filter((id) => id !== run.id) : [...chosen, run.id]);
  return (
    <tr>
      <td className={classes.choice}>
        <Checkbox
          aria-label={`Choose run ${run.id}`}
          size="xs"
          checked={isChosen}
          disabled={!isChosen && chosen.length >= limit}
          onChange={toggle}
        />
      </td>
      <th scope="row">
        <Link to="/runs/$runId" params={{ runId: String(run.id) }} className={classes.name ?? ""}>
          Run {run.id}
        </Link>
        {run.name !== "" && <div className={classes.called}>{run.name}</div>}
        {run.tags.map((tag) => (
          <Link key={tag} to="/runs" search={{ tag: [tag] }} title={`Runs with the tag ${tag}`}>
            <Pill size="xs" mr={4}>
              {tag}
            </Pill>
          </Link>
        ))}
      </th>
      <td>{goalOf(run)}</td>
      <td data-label="File system">{run.file_system}</td>
      <td data-label="Device">
        <span className="mono">{deviceOf(run)}</span>{" "}
        <span className={classes.whole}>
          <Exact value={sizeOf(run)} />
        </span>
        <div className={classes.quiet}>{run.device.host.name}</div>
      </td>
      <td className={`${classes.quiet} ${classes.seed}`} data-label="Seed">
        {run.seed}
      </td>
      <td className={classes.quiet} data-label="Stops">
        {budgetOf(run)}
      </td>
      <td>
        <StateMark tone={toneOf[run.state]}>{run.state}</StateMark>
        <div className={`${classes.quiet} ${classes.outcome}`}>{outcomeOf(run)}</div>
      </td>
      <When run={run} />
      <td className={classes.bell}>{bell(run)}</td>
    </tr>
  );
}

function BatchHead({ batch_id, runs, choice }: { batch_id: number; choice: Choice } & Pick<Group, "runs">) {
  const ids = runs.slice(0, choice.limit).map(({ id }) => id);
  return (
    <tr className={classes.batch}>
      <th colSpan={columns.length + 2} scope="rowgroup">
        <Link to="/batches/$batchId" params={{ batchId: String(batch_id) }} className="patina-link">
          Batch {batch_id}
        </Link>{" "}
        <UnstyledButton
          className={classes.sort}
          onClick={() => choice.choose(ids)}
          aria-label={`Choose the runs of batch ${batch_id}`}
        >
          Choose its runs
        </UnstyledButton>
      </th>
    </tr>
  );
}

export function RunsTable({ runs, search, onChange, choice, isBusy, bell }: Props) {
  const groups = groupsOf(runs, search.grouped ?? false);
  return (
    <table className={classes.table} aria-label="Runs" aria-busy={isBusy}>
      <Head runs={runs} search={search} onChange={onChange} choice={choice} />
      {groups.map(({ batch_id, runs: own }) => (
        <tbody key={batch_id === null ? `from ${own[0]?.id}` : `batch ${batch_id}`}>
          {batch_id !== null && <BatchHead batch_id={batch_id} runs={own} choice={choice} />}
          {batch_id === null && search.grouped === true && (
            <tr className={classes.batch}>
              <th colSpan={columns.length + 2} scope="rowgroup" className={classes.quiet}>
                Of no batch
              </th>
            </tr>
          )}
          {own.map((run) => (
            <Row key={run.id} run={run} choice={choice} bell={bell} />
          ))}
        </tbody>
      ))}
    </table>
  );
}
