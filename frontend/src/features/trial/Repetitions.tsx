// The repetitions of a trial in the order of execution, with what each measured.
import { Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Repetition, Trial } from "../../api/client";
import { Exact } from "../../shared/ui/Exact";
import { StateMark, type Tone } from "../../shared/ui/StateMark";
import { bytes, formatBytes, formatDuration, formatScore, fraction, seconds } from "../../shared/units";
import { predictionOf } from "./predicted";
import { measurementsQuery, type MeasuredRepetition } from "./queries";
import classes from "./Repetitions.module.css";
import { labelOfArm, metricOf, nameOfWorkload } from "./words";

type Measurement = NonNullable<MeasuredRepetition["measurement"]>;

const tones: Record<Repetition["state"], Tone> = {
  planned: "waiting",
  done: "good",
  failed: "bad",
  skipped: "stopped",
};
const restorations: Record<string, string> = {
  held: "held already",
  restore: "restored",
  rollback: "rolled back",
  compare: "compared",
};

/** Returns the numbers of free extents before and after. */
function freeExtentsOf({ free_extents_before, free_extents_after }: Measurement): string {
  const [before, after] = [free_extents_before, free_extents_after].map((free) =>
    free == null ? "–" : free.extents_count.toLocaleString("en-GB"),
  );
  return `${before} → ${after}`;
}

function Row({
  trial,
  row,
  measured,
  isPredicted,
}: {
  trial: Trial;
  row: Repetition;
  measured: MeasuredRepetition | undefined;
  isPredicted: boolean;
}) {
  const arm = trial.settings.arms[row.arm];
  const workload = trial.settings.workloads[row.workload];
  if (arm === undefined || workload === undefined) return null;
  const measurement = measured?.measurement ?? null;
  const prediction = measured === undefined ? null : predictionOf(trial, measured);
  return (
    <Table.Tr>
      <Table.Td>{row.position + 1}</Table.Td>
      <Table.Td>{nameOfWorkload(workload)}</Table.Td>
      <Table.Td>
        {row.image === null ? (
          labelOfArm(arm)
        ) : (
          <Link to="/images/$imageId" params={{ imageId: String(row.image.id) }} className="patina-link">
            {labelOfArm(arm)}
          </Link>
        )}
      </Table.Td>
      <Table.Td>
        <StateMark tone={tones[row.state]}>{row.state}</StateMark>
      </Table.Td>
      <Table.Td ta="right">
        {measurement === null ? "" : metricOf(workload).format(measurement.value).text}
      </Table.Td>
      {isPredicted && <Table.Td ta="right">{prediction !== null && <Exact value={prediction} />}</Table.Td>}
      <Table.Td className={classes.before ?? ""}>
        {measurement === null
          ? (row.error_message ?? "")
          : `${restorations[measurement.restoration.how] ?? measurement.restoration.how} in ${formatDuration(seconds(measurement.restoration.elapsed_s)).text}`}
      </Table.Td>
      <Table.Td ta="right">
        {measurement === null ? "" : formatBytes(bytes(measurement.device.written_bytes)).text}
      </Table.Td>
      <Table.Td ta="right">
        {measurement === null ? "" : formatBytes(bytes(measurement.device.read_bytes)).text}
      </Table.Td>
      <Table.Td ta="right">{measurement === null ? "" : freeExtentsOf(measurement)}</Table.Td>
      <Table.Td ta="right">
        {measurement?.layout_score == null ? "" : formatScore(fraction(measurement.layout_score)).text}
      </Table.Td>
      <Table.Td>
        {measurement === null || measurement.background.is_quiet
          ? ""
          : [
              ...measurement.background.jobs,
              `processors ${Math.round(measurement.background.busy_fraction * 100)} % busy`,
            ].join(", ")}
      </Table.Td>
    </Table.Tr>
  );
}

export function Repetitions({ trial }: { trial: Trial }) {
  const done = trial.repetitions.filter(({ state }) => state === "done").length;
  const { data = [] } = useQuery(measurementsQuery(trial.id, done));
  const isPredicted = data.some((row) => predictionOf(trial, row) !== null);
  const byId = new Map(data.map((row) => [row.id, row]));
  return (
    <section aria-labelledby="repetitions">
      <div className="patina-section">
        <h2 id="repetitions">Repetitions</h2>
        <span>in the order of execution</span>
      </div>
      <div className={classes.frame} tabIndex={0} role="region" aria-label="Repetitions, scrollable">
        <Table withRowBorders={false} verticalSpacing={4} horizontalSpacing="sm" fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>#</Table.Th>
              <Table.Th>Workload</Table.Th>
              <Table.Th>Image</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th ta="right">Value</Table.Th>
              {isPredicted && (
                <Table.Th ta="right" title="Time of the repetition with the waits for the modelled disk">
                  Predicted
                </Table.Th>
              )}
              <Table.Th>Before</Table.Th>
              <Table.Th ta="right">Written</Table.Th>
              <Table.Th ta="right">Read</Table.Th>
              <Table.Th ta="right">Free extents</Table.Th>
              <Table.Th
                ta="right"
                title="Dynamic layout score: the share of the blocks read that follow the block read before"
              >
                Layout score
              </Table.Th>
              <Table.Th>Disturbed by</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {trial.repetitions.map((row) => (
              <Row
                key={row.id}
                trial={trial}
                row={row}
                measured={byId.get(row.id)}
                isPredicted={isPredicted}
              />
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </section>
  );
}
