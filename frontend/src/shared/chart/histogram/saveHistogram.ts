// A histogram with its target as a file.
import { formatFraction, fraction } from "../../units";
import { colors, csvOf, FRAME, rectangle, sheetOf, textAt, type Saved } from "../exportPlot";
import { axisOf } from "./axis";
import { barsOf, EXTENT, targetPath, type Axis, type Bin } from "./histogram";

const MOST_LABELS = 12;
/** Column names of the edges, with their units, for programs that read the table. */
const edgeHeads: Record<Axis, string> = {
  size: "file_size_bytes",
  depth: "depth",
  age: "relative_age",
  free_extents: "extent_size_bytes",
};

interface Drawn {
  title: string;
  axis: Axis;
  /** The unit in words: "share of files, by file size". */
  unit: string;
  bins: readonly Bin[];
  ceiling: number;
}

/** Returns the kinds of values that the bins have. */
function namesOf(bins: readonly Bin[]): ("observed" | "target")[] {
  return (["observed", "target"] as const).filter((name) =>
    bins.some((bin) => bin[`${name}_fraction`] !== null),
  );
}

function svgOf({ title, axis, unit, bins, ceiling }: Drawn): string {
  const { left, right, top, bottom } = FRAME;
  const binAxis = axisOf(
    axis,
    bins.map(({ edge }) => edge),
    MOST_LABELS,
  );
  return sheetOf(title, unit, [
    `<svg x="${left}" y="${top}" width="${right - left}" height="${bottom - top}" viewBox="0 0 ${EXTENT} ${EXTENT}" preserveAspectRatio="none">`,
    ...barsOf(bins, binAxis, ceiling).map((bar) => rectangle(bar, colors.observed)),
    `<path d="${targetPath(bins, binAxis, ceiling)}" fill="none" stroke="${colors.target}" stroke-width="2" vector-effect="non-scaling-stroke"/>`,
    "</svg>",
    `<path d="M${left} ${top}V${bottom}H${right}" fill="none" stroke="${colors.quiet}"/>`,
    textAt(left - 8, top + 8, formatFraction(fraction(ceiling)).text, "end"),
    textAt(left - 8, bottom, "0 %", "end"),
    ...binAxis.ticks.map(({ at, label }) => textAt(left + at * (right - left), bottom + 18, label, "middle")),
    ...namesOf(bins).map(
      (name, place) => `<g fill="${colors[name]}">${textAt(right + 8, top + 8 + 16 * place, name)}</g>`,
    ),
  ]);
}

export function savedHistogram(drawn: Drawn): Saved {
  const { title, axis, bins } = drawn;
  return {
    title,
    csv: () =>
      csvOf(
        [edgeHeads[axis], "target_fraction", "observed_fraction"],
        bins.map(({ edge, target_fraction, observed_fraction }) => [
          edge,
          target_fraction,
          observed_fraction,
        ]),
      ),
    svg: () => svgOf(drawn),
  };
}
