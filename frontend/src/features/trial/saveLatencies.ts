// Latency distributions as a drawing for paper.
import { colors, csvOf, FRAME, sheetOf, textAt, type Saved } from "../../shared/chart/exportPlot";
import { dashOf } from "../../shared/chart/points/LineKey";
import { formatLatency, seconds, shortened } from "../../shared/units";
import { decadesOf, type LatencyLine } from "./latencies";
import { pathOf } from "./LatencyPlot";

export function savedLatencies(title: string, lines: readonly LatencyLine[]): Saved {
  return {
    title,
    csv: () =>
      csvOf(
        ["image", "us", "share"],
        lines.flatMap(({ label, points }) => points.map(({ us, share }) => [label, us, share])),
      ),
    svg: () => drawn(title, lines),
  };
}

function drawn(title: string, lines: readonly LatencyLine[]): string {
  const decades = decadesOf(lines);
  const [first, last] = decades;
  const [width, height] = [FRAME.right - FRAME.left - 140, FRAME.bottom - FRAME.top];
  const paths = lines.map((line, index) => {
    const color = line.isBase ? colors.quiet : colors.observed;
    const y = FRAME.top + 14 + index * 18;
    const x = FRAME.left + width + 16;
    return [
      `<g transform="translate(${FRAME.left} ${FRAME.top})"><path d="${pathOf(line, decades, width, height)}" fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${dashOf(index)}"/></g>`,
      `<path d="M${x} ${y - 4}h28" fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${dashOf(index)}"/>`,
      textAt(x + 34, y, line.label),
    ].join("");
  });
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => first + index).map((decade) =>
    textAt(
      FRAME.left + ((decade - first) / (last - first)) * width,
      FRAME.bottom + 18,
      shortened(formatLatency(seconds(10 ** decade / 1e6))),
      "middle",
    ),
  );
  const axis = `<path d="M${FRAME.left} ${FRAME.top}V${FRAME.bottom}h${width}" fill="none" stroke="${colors.line}"/>`;
  const shares = [0, 0.5, 1].map((share) =>
    textAt(FRAME.left - 6, FRAME.bottom - share * height + 4, `${share * 100} %`, "end"),
  );
  return sheetOf(title, "latency", [axis, ...shares, ...paths, ...ticks]);
}
