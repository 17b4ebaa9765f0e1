// Lines over one axis as a file.
import { colors, csvOf, FRAME, sheetOf, textAt, type Saved } from "../exportPlot";
import type { Columns, LineSpec } from "./LivePlot";

const TICKS = 5;

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
  const at = (value: number) => from + ((turn(value) - low) / width) * (to - from);
  const ticks = Array.from({ length: TICKS + 1 }, (_, step) => low + (width * step) / TICKS);
  return { at, ticks: isLogarithmic ? ticks.map((power) => 10 ** power) : ticks };
}

export interface Drawn {
  title: string;
  x: string;
  lines: readonly LineSpec[];
  columns: Columns;
  isLogarithmic: boolean;
  formatX: (value: number) => string;
  formatY: (value: number) => string;
}

function svgOf({ title, x, lines, columns, isLogarithmic, formatX, formatY }: Drawn): string {
  const [xs, ...ys] = columns;
  const known = ys.flat().filter((y): y is number => y !== null);
  const across = scaleOf(xs, FRAME.left, FRAME.right, false);
  const up = scaleOf(known, FRAME.bottom, FRAME.top, isLogarithmic);
  const paths = lines.map(({ ink, dash, width }, index) => {
    const points = xs.flatMap((value, row) => {
      const y = ys[index]?.[row];
      return y == null ? [] : [`${across.at(value).toFixed(1)},${up.at(y).toFixed(1)}`];
    });
    const dashes = dash === undefined ? "" : ` stroke-dasharray="${dash.join(" ")}"`;
    return `<polyline points="${points.join(" ")}" fill="none" stroke="${colors[ink]}" stroke-width="${width ?? 1.5}"${dashes}/>`;
  });
  const names = lines.map(({ label, ink }, index) => {
    const y = FRAME.top + 16 * index;
    return `<g fill="${colors[ink]}">${textAt(FRAME.right + 8, y + 4, label)}</g>`;
  });
  return sheetOf(title, x, [
    `<path d="M${FRAME.left} ${FRAME.top}V${FRAME.bottom}H${FRAME.right}" fill="none" stroke="${colors.quiet}"/>`,
    ...across.ticks.map((tick) => textAt(across.at(tick), FRAME.bottom + 18, formatX(tick), "middle")),
    ...up.ticks.map((tick) => textAt(FRAME.left - 8, up.at(tick) + 4, formatY(tick), "end")),
    ...paths,
    ...names,
  ]);
}

export function savedLines(drawn: Drawn): Saved {
  const [xs, ...ys] = drawn.columns;
  const head = [drawn.x, ...drawn.lines.map(({ label }) => label)];
  return {
    title: drawn.title,
    csv: () =>
      csvOf(
        head,
        xs.map((value, row) => [value, ...ys.map((y) => y[row])]),
      ),
    svg: () => svgOf(drawn),
  };
}
