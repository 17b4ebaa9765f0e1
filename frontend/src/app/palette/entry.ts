// What the palette offers, and which of it fits the words that are typed.

export type Group =
  | "Actions"
  | "Pages"
  | "Devices"
  | "Runs"
  | "Batches"
  | "Images"
  | "Profiles"
  | "Trials"
  | "Studies"
  | "Hosts"
  | "Help";

/** In the order of the list, among groups that fit equally well. */
const ORDER: readonly Group[] = [
  "Actions",
  "Pages",
  "Devices",
  "Runs",
  "Batches",
  "Images",
  "Profiles",
  "Trials",
  "Studies",
  "Hosts",
  "Help",
];
const MOST_OF_A_GROUP = 6;

export interface Entry {
  /** Unique among all entries. */
  id: string;
  group: Group;
  title: string;
  /** What distinguishes it from others of the same title. */
  note?: string;
  /** Other words by which it is found. */
  keywords?: string;
  /** Whether the server has found it: then it matches, without a comparison of its name. */
  isFound?: boolean;
  /** What the entry opens: of the entries that open the same, the best alone is offered. */
  opens?: string;
  /** Words that it types into the field: the palette stays open and offers what they find. */
  types?: string;
  go: () => void;
}

export interface Section {
  group: Group;
  entries: readonly Entry[];
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns how well an entry fits; 0: not at all. */
export function fitOf(entry: Entry, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const title = entry.title.toLowerCase();
  const all = `${title} ${entry.note ?? ""} ${entry.keywords ?? ""}`.toLowerCase();
  const typed = words.join(" ");
  if (title === typed) return 5;
  if (title.startsWith(typed)) return 4;
  if (!words.every((word) => all.includes(word))) return entry.isFound === true ? 1 : 0;
  const starts = wordsIn(title);
  return words.every((word) => starts.some((start) => start.startsWith(word))) ? 3 : 2;
}

/** Returns the entries without those that open the same as an entry before. */
function eachOnce<Item extends { entry: Entry }>(sorted: readonly Item[]): Item[] {
  const opened = new Set<string>();
  return sorted.filter(({ entry: { id, opens = id } }) => !opened.has(opens) && opened.add(opens));
}

/** Returns the entries that fit, by group; the group with the best entry first. */
export function sectionsOf(entries: readonly Entry[], typed: string): Section[] {
  const words = wordsIn(typed);
  return ORDER.map((group) => {
    const fitting = entries
      .filter((entry) => entry.group === group)
      .map((entry) => ({ entry, fit: fitOf(entry, words) }))
      .filter(({ fit }) => fit > 0)
      .toSorted((one, other) => other.fit - one.fit);
    const shown = eachOnce(fitting).slice(0, words.length === 0 ? Infinity : MOST_OF_A_GROUP);
    return { group, best: shown[0]?.fit ?? 0, entries: shown.map(({ entry }) => entry) };
  })
    .filter(({ best }) => best > 0)
    .toSorted((one, other) => other.best - one.best);
}
