// Pure: the requests and results of several runs, side by side.
import type { HistogramName } from "../../../api/client";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatDuration,
  formatFraction,
  formatScore,
  formatTimes,
  fraction,
  ratio,
  seconds,
  type Formatted,
} from "../../../shared/units";
import { agingModes, dataModeWords } from "../../../shared/modes";
import { workloadOf } from "../../../shared/goal";
import { unusual } from "../../../shared/settings";
import { accuracyOf } from "../live/telemetry";
import { budgetOf, deviceOf } from "../words";
import { stopReasons } from "../stopReason";
import type { Compared } from "./compared";

/** Facts of a run's image, from the image feature. */
export interface ImageFacts {
  id: number;
  name: string;
  layout_score: number | null;
}

export interface Cell {
  text: string;
  exact?: string;
  image_id?: number;
}

export interface FigureRow {
  label: string;
  cells: readonly Cell[];
  differs: boolean;
}

export interface FigureGroup {
  title: string;
  isMeasured: boolean;
  rows: readonly FigureRow[];
}

const nothing: Cell = { text: "–" };

function measured(value: number | null | undefined, format: (value: number) => Formatted): Cell {
  return value == null ? nothing : format(value);
}

const percent = (value: number) => formatFraction(fraction(value));

function unusualIn(run: Compared["run"]): string {
  const said = unusual(run, ["seed", "max_overwrites", "max_seconds"]);
  return said.length === 0 ? "defaults" : said.map((words) => words.join(" ")).join(", ");
}

function profileOf(run: Compared["run"]): string {
  return run.profile === null
    ? workloadOf(run)
    : `${run.profile.title}, version ${run.profile_version_number}`;
}

const asked: readonly (readonly [string, (compared: Compared) => Cell])[] = [
  ["Profile", ({ run }) => ({ text: profileOf(run) })],
  ["Fullness", ({ run }) => measured(run.fullness, percent)],
  ["File system", ({ run }) => ({ text: run.file_system })],
  ["Device", ({ run }) => ({ text: deviceOf(run), exact: run.device.stable_id })],
  ["Device size", ({ run }) => formatBytes(bytes(run.device.size_bytes))],
  ["Host", ({ run }) => ({ text: run.device.host.name })],
  ["Seed", ({ run }) => ({ text: String(run.seed) })],
  ["Mode", ({ run }) => ({ text: agingModes[run.mode].label })],
  ["Data", ({ run }) => ({ text: dataModeWords(run.data_mode) })],
  ["Stops", ({ run }) => ({ text: budgetOf(run) })],
  ["Else", ({ run }) => ({ text: unusualIn(run) })],
];

const nowOf = ({ telemetry }: Compared) => telemetry.summary ?? telemetry.sample;
const rmseOf = (name: HistogramName) => (compared: Compared) =>
  measured(accuracyOf(compared.telemetry, name)?.rmse, percent);

const achieved: readonly (readonly [string, (compared: Compared) => Cell])[] = [
  ["State", ({ telemetry }) => ({ text: telemetry.state })],
  [
    "Stopped because",
    ({ telemetry: { summary } }) => (summary === null ? nothing : { text: stopReasons[summary.stop_reason] }),
  ],
  ["Operations", (compared) => measured(nowOf(compared)?.ops_count, (value) => formatCount(count(value)))],
  ["Overwrites", (compared) => measured(nowOf(compared)?.overwrites, (value) => formatTimes(ratio(value)))],
  [
    "Aging time",
    (compared) => measured(nowOf(compared)?.elapsed_s, (value) => formatDuration(seconds(value))),
  ],
  ["RMSE of sizes", rmseOf("size")],
  ["RMSE of depths", rmseOf("depth")],
  ["RMSE of ages", rmseOf("age")],
];

/** Figures that only some runs have, with a row where a compared one has it. */
const partly: typeof achieved = [
  [
    "Predicted aging time",
    ({ run: { prediction } }) =>
      measured(prediction?.predicted_s, (value) => {
        const { text, exact } = formatDuration(seconds(value));
        return { text: `${text} on ${prediction?.model_label}`, exact: `predicted ${exact}` };
      }),
  ],
];

function rowOf(label: string, cells: readonly Cell[]): FigureRow {
  return { label, cells, differs: new Set(cells.map(({ text, exact }) => exact ?? text)).size > 1 };
}

export function figureGroups(
  runs: readonly Compared[],
  images: ReadonlyMap<number, ImageFacts>,
): readonly FigureGroup[] {
  const rows = (kind: typeof asked) => kind.map(([label, cellOf]) => rowOf(label, runs.map(cellOf)));
  const known = rows(partly).filter(({ cells }) => cells.some((cell) => cell !== nothing));
  const imageOf = ({ run }: Compared) => images.get(run.id);
  const kept = [
    rowOf(
      "Layout score",
      runs.map((compared) =>
        measured(imageOf(compared)?.layout_score, (value) => formatScore(fraction(value))),
      ),
    ),
    rowOf(
      "Image",
      runs.map((compared) => {
        const image = imageOf(compared);
        return image === undefined ? nothing : { text: image.name, image_id: image.id };
      }),
    ),
  ];
  return [
    { title: "Asked for", isMeasured: false, rows: rows(asked) },
    { title: "Measured", isMeasured: true, rows: [...rows(achieved), ...known, ...kept] },
  ];
}
