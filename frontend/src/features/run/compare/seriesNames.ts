// Pure: the names of compared runs, by what differs between them.
import type { Run } from "../../../api/client";
import { goalOf } from "../../../shared/goal";
import { agingModes, dataModeWords } from "../../../shared/modes";
import { unusual } from "../../../shared/settings";
import { bytes, formatBytes, formatFraction, fraction } from "../../../shared/units";
import { budgetOf } from "../words";

/** What may differ, the most telling first. */
const aspects: readonly ((run: Run) => string)[] = [
  ({ file_system }) => file_system,
  (run) => (run.profile === null ? goalOf(run) : run.profile.title),
  ({ profile_version_number }) =>
    profile_version_number === null ? "" : `version ${profile_version_number}`,
  ({ fullness }) => (fullness === null ? "" : formatFraction(fraction(fullness)).text),
  ({ mode }) => agingModes[mode].label,
  ({ data_mode }) => dataModeWords(data_mode),
  budgetOf,
  ({ in_memory }) => (in_memory ? "in memory" : "on the device"),
  ({ device }) => formatBytes(bytes(device.size_bytes)).text,
  (run) =>
    unusual(run, ["seed", "max_overwrites", "max_seconds"])
      .map((words) => words.join(" "))
      .join(", ") || "defaults",
  ({ seed }) => `seed ${seed}`,
  ({ device }) => device.host.name,
];

const distinctCount = (words: readonly string[]) => new Set(words).size;

/** Joins the aspects that tell more runs apart, until all are; starts from one that does alone, if any. */
function byAspects(runs: readonly Run[]): string[] {
  const differing = aspects.map((of) => runs.map(of)).filter((words) => distinctCount(words) > 1);
  const alone = differing.find((words) => distinctCount(words) === runs.length);
  if (alone !== undefined) return alone;
  let names = runs.map(() => "");
  for (const words of differing) {
    const longer = names.map((name, place) =>
      [name, words[place] ?? ""].filter((word) => word !== "").join(", "),
    );
    if (distinctCount(longer) > distinctCount(names)) names = longer;
  }
  return names;
}

/** Returns a name for each run: what differs, such as ext4, or seed 7; else the name of the run, or run 4. */
export function seriesNames(runs: readonly Run[]): string[] {
  const numbers = runs.map(({ id }) => `run ${id}`);
  if (runs.length < 2) return runs.map(({ name }, place) => name || (numbers[place] ?? ""));
  const said = byAspects(runs);
  const isClear = (words: readonly string[], place: number) =>
    words[place] !== "" && words.filter((word) => word === words[place]).length === 1;
  const called = said.map((words, place) =>
    [words, runs[place]?.name ?? ""].filter((word) => word !== "").join(", "),
  );
  return said.map((words, place) => {
    if (isClear(said, place)) return words;
    if (isClear(called, place)) return called[place] ?? "";
    return [words, numbers[place]].filter((word) => word !== "").join(", ");
  });
}
