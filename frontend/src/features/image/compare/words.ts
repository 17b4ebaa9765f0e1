// The rows of two images side by side.
import { hasRecipe, type Image, type Layout } from "../../../api/client";
import { shingledTotals } from "../../../shared/chart/grid/blockMap";
import {
  bytes,
  count,
  formatBytes,
  formatCount,
  formatFraction,
  formatScore,
  fraction,
} from "../../../shared/units";
import { recipeRows } from "../recipeRows";

export interface Row {
  label: string;
  first: string;
  second: string;
}

const size = (value: number) => formatBytes(bytes(value)).text;
const number = (value: number) => formatCount(count(value)).text;
const percent = (value: number) => formatFraction(fraction(value)).text;
const none = "–";
const scoreOf = (value: number | null | undefined) =>
  value == null ? none : formatScore(fraction(value)).text;

function figuresOf(image: Image): [label: string, value: string][] {
  return [
    ["File system", image.file_system ?? image.intake?.holds ?? "unknown"],
    ["Fullness", image.fullness === null ? none : percent(image.fullness)],
    ["Device size", size(image.size_bytes)],
    ["Stored", size(image.stored_bytes)],
  ];
}

function layoutOf(layout: Layout | null): [label: string, value: string][] {
  const files = layout?.files;
  const free = layout?.free_extents;
  return [
    ["Layout score", scoreOf(files?.layout_score)],
    ["Inter-file score", scoreOf(files?.inter_file_score)],
    [
      "Extents a file",
      files?.mean_extents_count == null ? none : String(Number(files.mean_extents_count.toPrecision(3))),
    ],
    ["Files with data", files == null ? none : number(files.files_with_data_count)],
    ["Free space", free === undefined ? none : size(free.free_blocks_count * free.block_size_bytes)],
    ["Free extents", free === undefined ? none : number(free.extents_count)],
    ["Mean free extent", free === undefined ? none : size(free.mean_extent_bytes)],
    ["Largest free extent", free === undefined ? none : size(free.max_extent_bytes)],
  ];
}

function shingledOf(layout: Layout | null): [label: string, value: string][] {
  const totals = shingledTotals(layout?.block_map);
  return [
    ["Unusable", totals === null ? none : size(totals.unusable_bytes)],
    ["Maybe damaged", totals === null ? none : size(totals.damaged_bytes)],
  ];
}

function beside(first: [string, string][], second: [string, string][]): Row[] {
  return first.map(([label, value], place) => ({ label, first: value, second: second[place]?.[1] ?? none }));
}

export function figureRows(first: Image, second: Image): Row[] {
  return beside(figuresOf(first), figuresOf(second));
}

/** Returns the rows of the layout reports; null: not measured. */
export function layoutRows(first: Layout | null, second: Layout | null): Row[] {
  const shingled = beside(shingledOf(first), shingledOf(second));
  return [
    ...beside(layoutOf(first), layoutOf(second)),
    ...shingled.filter((row) => row.first !== none || row.second !== none),
  ];
}

/** Returns the members of the recipes that differ; null where an image has no recipe. */
export function recipeDifferences(first: Image, second: Image): Row[] | null {
  if (!hasRecipe(first) || !hasRecipe(second)) return null;
  const [left, right] = [new Map(recipeRows(first)), new Map(recipeRows(second))];
  const labels = [...new Set([...left.keys(), ...right.keys()])];
  const text = (value: string | number | null | undefined) =>
    value == null || value === "" ? none : String(value);
  return labels
    .map((label) => ({ label, first: text(left.get(label)), second: text(right.get(label)) }))
    .filter((row) => row.first !== row.second);
}
