// Lines over one axis as a file.
import { colors, csvOf, FRAME, sheetOf, textAt, type Saved } from "../exportPlot";
import { shortened } from "../../units";
import { spanOf, thinned, together, type Curve } from "./curves";
import type { LineSpec, PlotMark } from "./drawing";
import type { Quantity } from "./ticks";

const TICKS = 5;
const INTERVALS = FRAME.right - FRAME.left;

interface Scale {
  at: (value: number) => number;
  ticks: readonly number[];
}

function scaleOf(values: readonly number[], from: number, to: number, isLogarithmic: boolean): Scale {
  const turn = isLogarithmic ? Math.log10 : (value: number) => value;
  const turned = values.map(turn);
  const low = turned.reduce((least, value) => Math.min(least, value), turned[0] ?? 0);
  const high = turned.reduce((most, value) => Math.max(most, value), turned[0] ?? 1);
  const width = high - low || 1;
  const at = (value: number) => from + ((Math.max(low, turn(value)) - low) / width) * (to - from);
  const ticks = Array.from({ length: TICKS + 1 }, (_, step) => low + (width * step) / TICKS);
  return { at, ticks: isLogarithmic ? ticks.map((power) => 10 ** power) : ticks };
}

export interface Drawn {
  title: string;
  /** The unit of the horizontal axis. */
  over: string;
  lines: readonly (LineSpec & { curve: Curve })[];
  isLogarithmic: boolean;
  x: Quantity;
  quantity: Quantity;
  marks: readonly PlotMark[];
}

function svgOf({ title, over, lines, isLogarithmic, x, quantity, marks }: Drawn): string {
  const span = spanOf(lines.map(({ curve }) => curve));
  const curves = lines.map(({ curve }) => thinned(curve, span, INTERVALS));
  const known = curves.flatMap(({ y }, index) =>
    lines[index]?.isUnbounded === true
      ? []
      : y.filter((value): value is number => value !== null && (value > 0 || !isLogarithmic)),
  );
  const across = scaleOf(span.from > span.to ? [] : [span.from, span.to], FRAME.left, FRAME.right, false);
  const up = scaleOf(known, FRAME.bottom, FRAME.top, isLogarithmic);
  const paths = lines.map(({ ink, dash, width }, index) => {
    const { x: xs = [], y: ys = [] } = curves[index] ?? {};
    const points = xs.map((value, row) => `${across.at(value).toFixed(1)},${up.at(ys[row] ?? 0).toFixed(1)}`);
    const dashes = dash === undefined ? "" : ` stroke-dasharray="${dash.join(" ")}"`;
    return `<polyline points="${points.join(" ")}" fill="none" stroke="${colors[ink]}" stroke-width="${width ?? 1.5}"${dashes}/>`;
  });
  const names = lines.map(({ label, ink }, index) => {
    const y = FRAME.top + 16 * index;
    return `<g fill="${colors[ink]}">${textAt(FRAME.right + 8, y + 4, label)}</g>`;
  });
  const events = marks.map(({ at, label }) => {
    const place = across.at(at);
    const line = `<path d="M${place.toFixed(1)} ${FRAME.top}V${FRAME.bottom}" stroke="${colors.quiet}" stroke-dasharray="2 3"/>`;
    return `<g fill="${colors.quiet}">${line}${textAt(place + 4, FRAME.top + 12, label)}</g>`;
  });
  return sheetOf(title, over, [
    `<path d="M${FRAME.left} ${FRAME.top}V${FRAME.bottom}H${FRAME.right}" fill="none" stroke="${colors.quiet}"/>`,
    ...across.ticks.map((tick) =>
      textAt(across.at(tick), FRAME.bottom + 18, shortened(x.format(tick)), "middle"),
    ),
    ...up.ticks.map((tick) =>
      textAt(FRAME.left - 8, up.at(tick) + 4, shortened(quantity.format(tick)), "end"),
    ),
    ...events,
    ...paths,
    ...names,
  ]);
}

export function savedLines(drawn: Drawn): Saved {
  const head = [drawn.over === "time" ? "elapsed_s" : drawn.over, ...drawn.lines.map(({ label }) => label)];
  return {
    title: drawn.title,
    csv: () => {
      const [xs, ...ys] = together(drawn.lines.map(({ curve }) => curve));
      return csvOf(
        head,
        xs.map((value, row) => [value, ...ys.map((y) => y[row])]),
      );
    },
    svg: () => svgOf(drawn),
  };
}
