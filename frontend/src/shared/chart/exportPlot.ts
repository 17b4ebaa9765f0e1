// A plot as a file: its numbers as CSV, its drawing as SVG and, from that, as PNG.
import { coloursOf } from "./palette";

/** The files of a figure, computed on demand. */
export interface Saved {
  /** The title of the drawing and the name of the files. */
  title: string;
  csv: () => string;
  svg: () => string;
}

export const SHEET = { width: 960, height: 400 } as const;
/** The place of the drawing on the sheet. */
export const FRAME = { left: 84, right: 850, top: 34, bottom: 360 } as const;
const PNG_SCALE = 2;

/** Colours for paper: light on every page. */
export const colors = {
  observed: "#2f7f6f",
  target: "#b4643c",
  quiet: "#645c53",
  text: "#2a2622",
  line: "#ddd6cc",
  ...coloursOf("light"),
} as const;

export type CsvValue = string | number | null | undefined;

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Returns the rows as CSV; unknown values are empty. */
export function csvOf(head: readonly string[], rows: readonly (readonly CsvValue[])[]): string {
  const lines = [head, ...rows].map((row) => row.map((value) => quoted(String(value ?? ""))).join(","));
  return `${lines.join("\n")}\n`;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

export function textAt(x: number, y: number, words: string, anchor: "start" | "middle" | "end" = "start") {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function rectangle({ x, y, width, height }: Rectangle, fill: string, opacity = 1): string {
  const place = `x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="${width.toFixed(2)}" height="${height.toFixed(2)}"`;
  return `<rect ${place} fill="${fill}"${opacity === 1 ? "" : ` fill-opacity="${opacity.toFixed(3)}"`}/>`;
}

/** Returns a group of adjacent cells, drawn without a seam between them. */
export function cellGroup(cells: readonly string[]): string {
  return `<g shape-rendering="crispEdges">${cells.join("\n")}</g>`;
}

/** Returns a sheet: the title above, the unit of the horizontal axis or the moment below. */
export function sheetOf(title: string, below: string, parts: readonly string[]): string {
  const { width, height } = SHEET;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter, sans-serif" font-size="13" fill="${colors.text}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    textAt(FRAME.left, 18, title),
    textAt(FRAME.right, height - 6, below, "end"),
    ...parts,
    "</svg>\n",
  ].join("\n");
}

/** Loads an image by its event: `decode` waits for a frame of the page, and Safari refuses it for SVG. */
function loaded(url: string): Promise<HTMLImageElement> {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.addEventListener("load", () => resolve(image));
    image.addEventListener("error", () => reject(new Error("The browser did not load the drawing.")));
    image.src = url;
  });
}

/** Returns the drawing as the browser renders it; throws where it cannot. */
export async function pngOf(svg: string): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = SHEET.width * PNG_SCALE;
  canvas.height = SHEET.height * PNG_SCALE;
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    canvas.getContext("2d")?.drawImage(await loaded(url), 0, 0, canvas.width, canvas.height);
  } finally {
    URL.revokeObjectURL(url);
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (blob === null) throw new Error("The browser did not encode the drawing.");
  return blob;
}

/** Lets the browser save a file. */
export function download(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
