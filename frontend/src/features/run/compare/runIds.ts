// Pure: the compared runs in an address.

/** The number of lines that stay distinguishable, and of runs that one server stream follows. */
export const RUNS_LIMIT = 6;

export type RunIds =
  | { kind: "runs"; ids: readonly number[] }
  | { kind: "too few"; ids: readonly number[] }
  | { kind: "too many"; ids: readonly number[] }
  | { kind: "no number"; word: string };

function isId(id: number): boolean {
  return Number.isSafeInteger(id) && id >= 1;
}

/** Returns each run once, in the given order. */
export function runIdsOf(text: string): RunIds {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const wrong = words.find((word) => !/^\d+$/.test(word) || !isId(Number(word)));
  if (wrong !== undefined) return { kind: "no number", word: wrong };
  const ids = [...new Set(words.map(Number))];
  if (ids.length < 2) return { kind: "too few", ids };
  return { kind: ids.length > RUNS_LIMIT ? "too many" : "runs", ids };
}

/** Returns a list in words: 3, 5 and 9. */
export function listed(ids: readonly (number | string)[]): string {
  if (ids.length < 2) return ids.join("");
  return `${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
}
