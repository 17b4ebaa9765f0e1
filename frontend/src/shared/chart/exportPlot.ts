// A plot as a file: CSV of its numbers, SVG of its lines.
import type { Columns, LineSpec } from "./LivePlot";

const WIDTH = 960;
const HEIGHT = 400;
const MARGIN = { left: 72, right: 110, top: 34, bottom: 40 };
const TICKS = 5;

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function csvOf(x: string, lines: readonly LineSpec[], columns: Columns): string {
  const [xs, ...ys] = columns;
  const head = [x, ...lines.map(({ label }) => label)].map(quoted).join(",");
  const rows = xs.map((value, index) => [value, ...ys.map((y) => y[index] ?? "")].join(","));
  return `${[head, ...rows].join("\n")}\n`;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

interface Scale {
  at: (value: number) => number;
  ticks: readonly number[];
}

function scaleOf(values: readonly number[], from: number, to: number, isLogarithmic: boolean): Scale {
  const turn = isLogarithmic ? Math.log10 : (value: number) => value;
  const low = values.length === 0 ? 0 : turn(Math.min(...values));
  const high = values.length === 0 ? 1 : turn(Math.max(...values));
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

const colors = { observed: "#2f7f6f", target: "#b4643c", quiet: "#645c53", text: "#2a2622" } as const;

/** Drawn for paper: light, whatever the page's colours are. */
export function svgOf({ title, x, lines, columns, isLogarithmic, formatX, formatY }: Drawn): string {
  const [xs, ...ys] = columns;
  const known = ys.flat().filter((y): y is number => y !== null);
  const across = scaleOf(xs, MARGIN.left, WIDTH - MARGIN.right, false);
  const up = scaleOf(known, HEIGHT - MARGIN.bottom, MARGIN.top, isLogarithmic);
  const text = (at_x: number, at_y: number, words: string, anchor = "start") =>
    `<text x="${at_x.toFixed(1)}" y="${at_y.toFixed(1)}" text-anchor="${anchor}">${escaped(words)}</text>`;
  const paths = lines.map(({ ink, dash, width }, index) => {
    const points = xs.flatMap((value, row) => {
      const y = ys[index]?.[row];
      return y == null ? [] : [`${across.at(value).toFixed(1)},${up.at(y).toFixed(1)}`];
    });
    const dashes = dash === undefined ? "" : ` stroke-dasharray="${dash.join(" ")}"`;
    return `<polyline points="${points.join(" ")}" fill="none" stroke="${colors[ink]}" stroke-width="${width ?? 1.5}"${dashes}/>`;
  });
  const names = lines.map(({ label, ink }, index) => {
    const y = MARGIN.top + 16 * index;
    return `<g fill="${colors[ink]}">${text(WIDTH - MARGIN.right + 8, y + 4, label)}</g>`;
  });
  const base = HEIGHT - MARGIN.bottom;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Inter, sans-serif" font-size="13" fill="#2a2622">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(MARGIN.left, 18, title),
    `<path d="M${MARGIN.left} ${MARGIN.top}V${base}H${WIDTH - MARGIN.right}" fill="none" stroke="#645c53"/>`,
    ...across.ticks.map((tick) => text(across.at(tick), base + 18, formatX(tick), "middle")),
    ...up.ticks.map((tick) => text(MARGIN.left - 8, up.at(tick) + 4, formatY(tick), "end")),
    text(WIDTH - MARGIN.right, HEIGHT - 4, x, "end"),
    ...paths,
    ...names,
    "</svg>\n",
  ].join("\n");
}

/** Hands the browser a file to keep. */
export function download(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
