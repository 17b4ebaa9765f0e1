// The figures of a study, from the results so far: bars by policy, lines and maps by fullness.
import type { Study, StudyCell, StudyEstimate } from "../../api/client";
import type { Bar, BarGroup } from "../../shared/chart/bars/bars";
import type { PointLine } from "../../shared/chart/points/points";
import { formatShare, nameOfPolicy, textOf } from "./words";

type Share = "over_allocation_fraction" | "unusable_fraction";
type Ratio = "moved_ratio" | "written_ratio";

export interface BarsFigure {
  title: string;
  unit: string;
  groups: readonly BarGroup[];
}

export interface LinesFigure {
  title: string;
  unit: string;
  lines: readonly PointLine[];
}

export interface MapFigure {
  title: string;
  unit: string;
  dids: readonly number[];
  fullnesses: readonly number[];
  /** By fullness, then by DID; null without a result. */
  values: readonly (readonly (number | null)[])[];
}

/** More of them are drawn as a map, not as a figure for each. */
const MOST_DIDS_AS_LINES = 2;

const low = ({ mean, half_width }: StudyEstimate) => (half_width === null ? null : mean - half_width);
const high = ({ mean, half_width }: StudyEstimate) => (half_width === null ? null : mean + half_width);
const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

function barOf(cell: StudyCell, estimate: StudyEstimate): Bar {
  return {
    label: nameOfPolicy(cell.policy),
    mean: estimate.mean,
    low: low(estimate),
    high: high(estimate),
    points: [],
    outliers: [],
    isBase: false,
    order: 0,
    text: formatShare(estimate.mean).text,
    exact: `${textOf(estimate, "share")}, ${cell.results_count} seeds`,
  };
}

function publishedBar(cell: StudyCell, name: Share): Bar[] {
  const value = cell.published?.[name];
  if (value === undefined) return [];
  const { text, exact } = formatShare(value);
  const label = `${nameOfPolicy(cell.policy)}, published`;
  return [{ label, mean: value, low: null, high: null, points: [], outliers: [], isBase: true, text, exact }];
}

function barsOf(cells: readonly StudyCell[], title: string, unit: string, name: Share): BarsFigure[] {
  const measured = cells.filter(({ figures }) => figures[name] !== undefined);
  if (measured.length === 0) return [];
  const groups = distinct(measured.map(({ did_blocks }) => did_blocks)).map((did) => ({
    label: `DID ${did}`,
    bars: measured
      .filter(({ did_blocks }) => did_blocks === did)
      .flatMap((cell) => {
        const estimate = cell.figures[name];
        return estimate === undefined ? [] : [barOf(cell, estimate), ...publishedBar(cell, name)];
      }),
  }));
  return [{ title, unit, groups }];
}

/** Returns the figures of a study of capacity. */
export function barFiguresOf({ settings, cells }: Study): BarsFigure[] {
  if (settings.kind !== "capacity") return [];
  return [
    ...barsOf(cells, "Unusable", "of the disk, less is better", "unusable_fraction"),
    ...barsOf(
      cells,
      "Larger than its files",
      "over the size of all files, less is better",
      "over_allocation_fraction",
    ),
  ];
}

const ratios: Record<Ratio, { title: string; unit: string; isOf: StudyCell["interface"] }> = {
  moved_ratio: {
    title: "Moved over written",
    unit: "blocks moved for each block written, less is better",
    isOf: "strict-append",
  },
  written_ratio: {
    title: "Written until no place is left",
    unit: "over the size of the disk, more is better",
    isOf: "caveat",
  },
};

/** Returns the cells that a ratio is about, with results: only a cleaner moves, and only it makes place again. */
function cellsWith({ cells }: Study, name: Ratio): StudyCell[] {
  return cells.filter(
    (cell) =>
      cell.interface === ratios[name].isOf && cell.fullness !== null && cell.figures[name] !== undefined,
  );
}

function isMap({ settings }: Study): boolean {
  return (settings.did_blocks?.length ?? 1) > MOST_DIDS_AS_LINES;
}

/** Returns the figures of a study of cleaning with few DIDs: a line for each policy or cleaner. */
export function lineFiguresOf(study: Study): LinesFigure[] {
  if (study.settings.kind !== "cleaning" || isMap(study)) return [];
  return (Object.keys(ratios) as Ratio[]).flatMap((name) => {
    const cells = cellsWith(study, name);
    const dids = distinct(cells.map(({ did_blocks }) => did_blocks));
    return dids.map((did) => {
      const ofDid = cells.filter(({ did_blocks }) => did_blocks === did);
      return {
        title: dids.length === 1 ? ratios[name].title : `${ratios[name].title}, DID ${did}`,
        unit: ratios[name].unit,
        lines: distinct(ofDid.map(({ policy }) => policy)).map((policy) => ({
          label: nameOfPolicy(policy),
          isBase: false,
          points: ofDid
            .filter((cell) => cell.policy === policy)
            .flatMap(({ fullness, figures: { [name]: estimate } }) =>
              estimate === undefined || fullness === null
                ? []
                : [{ at: 100 * fullness, mean: estimate.mean, low: low(estimate), high: high(estimate) }],
            )
            .toSorted((a, b) => a.at - b.at),
        })),
      };
    });
  });
}

/** Returns the figures of a study of cleaning with many DIDs: a map for each policy or cleaner. */
export function mapFiguresOf(study: Study): MapFigure[] {
  if (study.settings.kind !== "cleaning" || !isMap(study)) return [];
  return (Object.keys(ratios) as Ratio[]).flatMap((name) => {
    const cells = cellsWith(study, name);
    return distinct(cells.map(({ policy }) => policy)).map((policy) => {
      const ofPolicy = cells.filter((cell) => cell.policy === policy);
      const dids = distinct(study.cells.map(({ did_blocks }) => did_blocks)).toSorted((a, b) => a - b);
      const fullnesses = distinct(study.cells.flatMap(({ fullness }) => fullness ?? [])).toSorted(
        (a, b) => b - a,
      );
      return {
        title: `${ratios[name].title}, ${nameOfPolicy(policy)}`,
        unit: ratios[name].unit,
        dids,
        fullnesses,
        values: fullnesses.map((fullness) =>
          dids.map(
            (did) =>
              ofPolicy.find((cell) => cell.fullness === fullness && cell.did_blocks === did)?.figures[name]
                ?.mean ?? null,
          ),
        ),
      };
    });
  });
}
