// The colours of several lines in one plot, told apart also without red or green: palette.test.ts checks it.

/** By colour scheme, in the order of the lines. */
export const palette = {
  light: ["#2f7f6f", "#5a4fcf", "#2a2622", "#8a1c5c", "#6f86c9", "#14508c"],
  dark: ["#6fc3b0", "#7d6ff0", "#ede8e1", "#b0659a", "#6aa9f0", "#e8c84a"],
} as const;

export const seriesInks = ["series-1", "series-2", "series-3", "series-4", "series-5", "series-6"] as const;
export type SeriesInk = (typeof seriesInks)[number];

/** Returns a scheme's colours under the names of their inks. */
export function coloursOf(scheme: keyof typeof palette): Record<SeriesInk, string> {
  return Object.fromEntries(seriesInks.map((ink, place) => [ink, palette[scheme][place] ?? ""])) as Record<
    SeriesInk,
    string
  >;
}
