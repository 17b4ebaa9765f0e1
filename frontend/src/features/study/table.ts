// The cells of a study as a table: its columns, their order, and the same as CSV.
import type { Study, StudyCell } from "../../api/client";
import { csvOf, type CsvValue } from "../../shared/chart/exportPlot";
import type { Formatted } from "../../shared/units";
import { formatBlocks, formatShare, nameOfPolicy, textOf } from "./words";

export interface Column {
  title: string;
  isNumber: boolean;
  /** What the rows are ordered by; null comes last. */
  valueOf: (cell: StudyCell) => number | string | null;
  textOf: (cell: StudyCell) => string;
  /** In the CSV file. */
  head: readonly string[];
  csvOf: (cell: StudyCell) => readonly CsvValue[];
}

export interface Order {
  title: string;
  isDescending: boolean;
}

const NO_VALUE = "–";

function figure(title: string, name: string, kind: Parameters<typeof textOf>[1]): Column {
  return {
    title,
    isNumber: true,
    valueOf: ({ figures }) => figures[name]?.mean ?? null,
    textOf: ({ figures: { [name]: estimate } }) =>
      estimate === undefined ? NO_VALUE : textOf(estimate, kind),
    head: [name, `${name}_half_width`],
    csvOf: ({ figures }) => [figures[name]?.mean, figures[name]?.half_width],
  };
}

function number(title: string, name: string, valueOf: (cell: StudyCell) => number | null): Column {
  return {
    title,
    isNumber: true,
    valueOf,
    textOf: (cell) => valueOf(cell)?.toLocaleString("en-GB") ?? NO_VALUE,
    head: [name],
    csvOf: (cell) => [valueOf(cell)],
  };
}

function published(
  title: string,
  name: "total_blocks" | "unusable_blocks" | "over_allocation_fraction",
  format: (value: number) => Formatted,
): Column {
  const valueOf = (cell: StudyCell) => cell.published?.[name] ?? null;
  return {
    ...number(title, `published_${name}`, valueOf),
    textOf: (cell) => {
      const value = valueOf(cell);
      return value === null ? NO_VALUE : format(value).text;
    },
  };
}

const policy: Column = {
  title: "Policy",
  isNumber: false,
  valueOf: (cell) => nameOfPolicy(cell.policy),
  textOf: (cell) => nameOfPolicy(cell.policy),
  head: ["interface", "policy"],
  csvOf: (cell) => [cell.interface, cell.policy],
};
const did = number("DID", "did_blocks", ({ did_blocks }) => did_blocks);
const seeds = number("Seeds", "results_count", ({ results_count }) => results_count);
const full: Column = {
  ...number("Full", "fullness", ({ fullness }) => fullness),
  textOf: ({ fullness }) => (fullness === null ? NO_VALUE : formatShare(fullness).text),
};

const capacity: readonly Column[] = [
  policy,
  did,
  seeds,
  figure("Larger than its files", "over_allocation_fraction", "share"),
  figure("Unusable", "unusable_fraction", "share"),
  figure("Total blocks", "total_blocks", "blocks"),
  figure("Unusable blocks", "unusable_blocks", "blocks"),
  figure("Free blocks", "free_blocks", "blocks"),
  figure("Usable blocks", "usable_blocks", "blocks"),
];
const ofPublished: readonly Column[] = [
  published("Published: larger", "over_allocation_fraction", formatShare),
  published("Published: total", "total_blocks", formatBlocks),
  published("Published: unusable", "unusable_blocks", formatBlocks),
];
const cleaning: readonly Column[] = [
  policy,
  did,
  full,
  seeds,
  figure("Moved over written", "moved_ratio", "ratio"),
  figure("Written over size", "written_ratio", "ratio"),
  figure("Cleanings", "cleanings_count", "blocks"),
  {
    ...number("No place left", "full_count", ({ full_count }) => full_count),
    textOf: ({ full_count, results_count }) => `${full_count ?? 0} of ${results_count}`,
  },
];

/** Returns the columns of a study. */
export function columnsOf({ settings, cells }: Study): readonly Column[] {
  if (settings.kind === "cleaning") return cleaning;
  return cells.some((cell) => cell.published !== null) ? [...capacity, ...ofPublished] : capacity;
}

/** Returns the cells in that order; those without a value come last. */
export function ordered(study: Study, order: Order | null): readonly StudyCell[] {
  const column = columnsOf(study).find(({ title }) => title === order?.title);
  if (column === undefined || order === null) return study.cells;
  const sign = order.isDescending ? -1 : 1;
  return study.cells.toSorted((a, b) => {
    const [left, right] = [column.valueOf(a), column.valueOf(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (typeof left === "string" || typeof right === "string")
      return sign * String(left).localeCompare(String(right));
    return sign * (left - right);
  });
}

/** Returns the order after a click on a column's head: ascending, descending, that of the settings. */
export function orderAfter(order: Order | null, title: string): Order | null {
  if (order?.title !== title) return { title, isDescending: false };
  return order.isDescending ? null : { title, isDescending: true };
}

/** Returns the table as CSV, with all digits. */
export function tableCsv(study: Study, order: Order | null): string {
  const columns = columnsOf(study);
  return csvOf(
    columns.flatMap(({ head }) => head),
    ordered(study, order).map((cell) => columns.flatMap((column) => column.csvOf(cell))),
  );
}
