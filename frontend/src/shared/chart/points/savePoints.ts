// Lines through means as a file.
import { ticksOf } from "../bars/bars";
import { colors, csvOf, FRAME, sheetOf, textAt, type Saved } from "../exportPlot";
import { dashOf } from "./LineKey";
import {
  dotsOf,
  drawingOf,
  extentOf,
  intervalsOf,
  labelledPlaces,
  pathThrough,
  type PointLine,
} from "./points";

const KEY_WIDTH = 190;
const LEAST_GAP = 0.08;

export function savedPoints(
  title: string,
  x: string,
  lines: readonly PointLine[],
  tick: (value: number) => string,
): Saved {
  return {
    title,
    csv: () =>
      csvOf(
        ["line", x, "mean", "low", "high"],
        lines.flatMap(({ label, points }) =>
          points.map(({ at, mean, low, high }) => [label, at, mean, low, high]),
        ),
      ),
    svg: () => drawn(title, x, lines, tick),
  };
}

function drawn(
  title: string,
  x: string,
  lines: readonly PointLine[],
  tick: (value: number) => string,
): string {
  const extent = extentOf(lines);
  const [width, height] = [FRAME.right - FRAME.left - KEY_WIDTH, FRAME.bottom - FRAME.top];
  const drawing = drawingOf(extent, width, height);
  const key = FRAME.left + width + 16;
  const strokes = lines.map((line, index) => {
    const color = line.isBase ? colors.quiet : colors.observed;
    const stroke = `fill="none" stroke="${color}" stroke-width="2"`;
    const y = FRAME.top + 14 + index * 18;
    return [
      `<g transform="translate(${FRAME.left} ${FRAME.top})" ${stroke}>`,
      `<path d="${pathThrough(line, drawing)}" stroke-dasharray="${dashOf(index)}"/>`,
      `<path d="${dotsOf(line, drawing)}" stroke-width="6" stroke-linecap="round"/>`,
      `<path d="${intervalsOf(line, drawing)}" stroke-width="1"/></g>`,
      `<path d="M${key} ${y - 4}h28" ${stroke} stroke-dasharray="${dashOf(index)}"/>`,
      textAt(key + 34, y, line.label),
    ].join("");
  });
  return sheetOf(title, x, [
    `<path d="M${FRAME.left} ${FRAME.top}V${FRAME.bottom}h${width}" fill="none" stroke="${colors.line}"/>`,
    ...labelledPlaces(lines, LEAST_GAP).map((at) =>
      textAt(FRAME.left + drawing.x(at), FRAME.bottom + 18, at.toLocaleString("en-GB"), "middle"),
    ),
    ...ticksOf(extent.top).map((value) =>
      textAt(FRAME.left - 8, FRAME.top + drawing.y(value) + 4, tick(value), "end"),
    ),
    ...strokes,
  ]);
}
