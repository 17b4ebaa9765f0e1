// The reading of files or pasted text, row by row, before it is taken.
import { Table } from "@mantine/core";
import type { ProfileReading, ReadingRow } from "../../../api/client";
import { formatEdge } from "../../../shared/units";
import { histogramNames } from "../editor/draft/bin";
import { histogramTitles } from "../words";
import classes from "./Sources.module.css";

/** The server's name for text that is no file. */
const PASTED = "pasted";
/** The number of valid rows shown; all invalid rows are shown. */
const SHOWN_COUNT = 200;

function edgeOf({ histogram, edge }: ReadingRow): string {
  if (edge === null) return "–";
  return histogram === null ? String(edge) : formatEdge(histogram, edge);
}

function Rows({ rows }: { rows: readonly ReadingRow[] }) {
  return (
    <div className={classes.rows} role="region" aria-label="Rows read" tabIndex={0}>
      <Table withRowBorders={false} verticalSpacing={2} horizontalSpacing="xs" fz="sm" stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Histogram</Table.Th>
            <Table.Th>Where</Table.Th>
            <Table.Th ta="right">Edge</Table.Th>
            <Table.Th ta="right">Weight</Table.Th>
            <Table.Th ta="right">Directories</Table.Th>
            <Table.Th>Problem</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr
              key={`${row.file} ${row.line} ${row.histogram}`}
              data-bad={row.problem !== null || undefined}
            >
              <Table.Td>{row.histogram === null ? "–" : histogramTitles[row.histogram]}</Table.Td>
              <Table.Td>
                {row.file === "" ? "" : `${row.file}, `}line {row.line}
              </Table.Td>
              <Table.Td ta="right">{edgeOf(row)}</Table.Td>
              <Table.Td ta="right">{row.weight ?? "–"}</Table.Td>
              <Table.Td ta="right">{row.subdirs ?? ""}</Table.Td>
              <Table.Td className={classes.problem ?? ""}>{row.problem}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

const formats: Record<ProfileReading["format"], string> = {
  patina: "Patina JSON",
  geriatrix: "Geriatrix's text files",
  csv: "CSV",
  columns: "Two columns",
};

function summaryOf({ format, rows, histograms }: ProfileReading): string {
  const bad = rows.filter(({ problem }) => problem !== null).length;
  const found = histogramNames
    .filter((name) => histograms[name].length > 0)
    .map((name) => `${name} with ${histograms[name].length} bins`);
  const what = found.length === 0 ? "no histogram" : found.join(", ");
  const files = [...new Set(rows.map(({ file }) => file))].filter((file) => file !== PASTED).join(", ");
  const where = files === "" ? formats[format] : `${formats[format]}, ${files}`;
  return `${where}: ${what}. ${bad === 0 ? "All rows are valid." : `${bad} of ${rows.length} rows are invalid and left out.`}`;
}

export function ReadingPreview({ reading }: { reading: ProfileReading }) {
  const bad = reading.rows.filter(({ problem }) => problem !== null);
  const good = reading.rows.filter(({ problem }) => problem === null);
  const shown = [...bad, ...good.slice(0, SHOWN_COUNT)];
  const left = reading.rows.length - shown.length;
  return (
    <div className={classes.preview}>
      <p role="status">{summaryOf(reading)}</p>
      {reading.problems.length > 0 && (
        <ul className={classes.notes}>
          {reading.problems.map(({ file, line, message }) => (
            <li key={`${file} ${line} ${message}`}>
              {file !== "" && <span className="mono">{file}</span>}
              {line !== null && `, line ${line}`}
              {file !== "" || line !== null ? ": " : ""}
              {message}
            </li>
          ))}
        </ul>
      )}
      {shown.length > 0 && <Rows rows={shown} />}
      {left > 0 && <p className="patina-quiet">and {left} more valid rows</p>}
    </div>
  );
}
