// Bars as a drawing for paper.
import { colors, csvOf, FRAME, rectangle, sheetOf, textAt, type Saved } from "../exportPlot";
import { endOf, ticksOf, type BarGroup } from "./bars";

const LABELS_WIDTH = 190;

/** Returns the files of a figure of bars. `below`: the unit of the axis. */
export function savedBars(
  title: string,
  below: string,
  groups: readonly BarGroup[],
  tick: (value: number) => string,
): Saved {
  return {
    title,
    csv: () =>
      csvOf(
        ["group", "state", "mean", "low", "high", "values"],
        groups.flatMap(({ label, bars }) =>
          bars.map((bar) => [label, bar.label, bar.mean, bar.low, bar.high, bar.points.join(" ")]),
        ),
      ),
    svg: () => drawn(title, below, groups, tick),
  };
}

function drawn(
  title: string,
  below: string,
  groups: readonly BarGroup[],
  tick: (value: number) => string,
): string {
  const end = endOf(groups);
  const left = FRAME.left + LABELS_WIDTH - 60;
  const x = (value: number) => left + ((FRAME.right - left) * value) / end;
  const rows = groups.reduce((sum, { bars }) => sum + bars.length + 1, 0);
  const height = Math.min(26, (FRAME.bottom - FRAME.top) / Math.max(1, rows));
  const parts: string[] = [];
  let y = FRAME.top;
  for (const { label, bars } of groups) {
    y += height;
    parts.push(`<g font-weight="600">${textAt(12, y - height * 0.3, label)}</g>`);
    for (const [index, bar] of bars.entries()) {
      const middle = y + height / 2;
      const box = { x: left, y: y + 3, width: Math.max(0, x(bar.mean) - left), height: height - 6 };
      parts.push(textAt(24, middle + 4, bar.label));
      parts.push(
        bar.isBase
          ? `<g stroke="${colors.quiet}" stroke-width="1.5">${rectangle(box, "none")}</g>`
          : rectangle(box, colors.observed, index > 1 ? 0.5 : 0.85),
      );
      if (bar.low !== null && bar.high !== null) {
        const [from, to] = [x(Math.max(0, bar.low)), x(bar.high)];
        parts.push(
          `<path d="M${from.toFixed(1)} ${(middle - 4).toFixed(1)}v8m0-4H${to.toFixed(1)}m0-4v8" fill="none" stroke="${colors.text}" stroke-width="1.5"/>`,
        );
      }
      parts.push(textAt(FRAME.right + 8, middle + 4, bar.text));
      y += height;
    }
  }
  parts.push(`<path d="M${left} ${FRAME.top}V${y + 4}H${FRAME.right}" fill="none" stroke="${colors.line}"/>`);
  for (const value of ticksOf(end)) parts.push(textAt(x(value), y + 18, tick(value), "middle"));
  return sheetOf(title, below, parts);
}
