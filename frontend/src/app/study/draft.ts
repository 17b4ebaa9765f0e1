// Pure: a study being put together, as it is typed, and the request that it makes.
import type { Study, StudyRequest } from "../../api/client";
import offered from "../../api/studies.json";
import { bytes, formatBytes, parseBytes, parseNumber } from "../../shared/units";

type Settings = StudyRequest["settings"];
type Policy = Extract<Settings, { kind: "capacity" }>["policies"][number];
type Cleaner = NonNullable<Extract<Settings, { kind: "cleaning" }>["cleaners"]>[number];

export const policies = offered.policies as readonly Policy[];
export const cleaners = offered.cleaners as readonly Cleaner[];
export const { limits } = offered;

export interface Draft {
  kind: Settings["kind"];
  policies: readonly Policy[];
  /** Of cleaning. */
  cleaners: readonly Cleaner[];
  /** Lists and sizes, as typed. */
  dids: string;
  dnor: number;
  seeds: number;
  /** Of all files together, or of the disk. */
  size: string;
  operations: number;
  fullnesses: string;
  band: string;
  times: number;
  name: string;
  /** null: the only host. */
  host_name: string | null;
}

export interface Plan {
  name: string;
  title: string;
  summary: string;
  draft: Draft;
}

/** Returns a size as it may be typed, exactly. */
function sizeText(value: number): string {
  const { text } = formatBytes(bytes(value));
  return parseBytes(text) === value ? text : String(value);
}

const empty: Draft = {
  kind: "capacity",
  policies: ["best"],
  cleaners: [],
  dids: "16",
  dnor: 0,
  seeds: 20,
  size: "1 GiB",
  operations: 100_000,
  fullnesses: "50, 60, 70, 80, 85, 90, 95",
  band: "16 MiB",
  times: 10,
  name: "",
  host_name: null,
};

function draftOf(settings: Settings, name: string): Draft {
  const both = {
    policies: settings.policies ?? [],
    dids: (settings.did_blocks ?? []).join(", "),
    dnor: settings.dnor_blocks ?? empty.dnor,
    seeds: settings.seeds_count ?? empty.seeds,
    name,
  };
  if (settings.kind === "capacity")
    return {
      ...empty,
      ...both,
      kind: "capacity",
      size: settings.usable_bytes === undefined ? empty.size : sizeText(settings.usable_bytes),
      operations: settings.operations_count ?? empty.operations,
    };
  return {
    ...empty,
    ...both,
    kind: "cleaning",
    cleaners: settings.cleaners ?? [],
    fullnesses: settings.fullnesses.map((value) => Number((value * 100).toPrecision(12))).join(", "),
    size: settings.size_bytes === undefined ? empty.size : sizeText(settings.size_bytes),
    band: settings.band_bytes === undefined ? empty.band : sizeText(settings.band_bytes),
    times: settings.times ?? empty.times,
  };
}

/** The ready-made studies. */
export const plans: readonly Plan[] = offered.plans.map(({ name, title, summary, settings }) => ({
  name,
  title,
  summary,
  draft: draftOf(settings as Settings, title),
}));

export const firstDraft: Draft = plans[0]?.draft ?? empty;

/** Returns a draft with the settings of an earlier study. */
export function draftLike({ settings, name, host }: Study): Draft {
  return { ...draftOf(settings, name), host_name: host.name };
}

/** Returns the numbers of a list as typed; null for other text. */
export function numbersOf(text: string): number[] | null {
  const numbers = text
    .split(/[\s,;]+/)
    .filter((word) => word !== "")
    .map(parseNumber);
  return numbers.length === 0 || numbers.includes(null) ? null : (numbers as number[]);
}

const didsOf = ({ dids }: Draft): number[] | null => numbersOf(dids);
const fullnessesOf = ({ fullnesses }: Draft): number[] | null =>
  numbersOf(fullnesses)?.map((percent) => Number((percent / 100).toPrecision(12))) ?? null;

/** Returns the number of cells; 0 while a list cannot be read. */
export function cellsCount(draft: Draft): number {
  const dids = didsOf(draft)?.length ?? 0;
  if (draft.kind === "capacity") return dids * draft.policies.length;
  return dids * (draft.policies.length + draft.cleaners.length) * (fullnessesOf(draft)?.length ?? 0);
}

function lackOfSize(text: string, what: string): string | null {
  const size = parseBytes(text);
  if (size === null) return `Give the ${what} as a size, such as 1 GiB.`;
  return size < limits.least_bytes || size > limits.most_bytes
    ? `The ${what} is from ${sizeText(limits.least_bytes)} to ${sizeText(limits.most_bytes)}.`
    : null;
}

function lackOfDids(draft: Draft): string | null {
  const dids = didsOf(draft);
  if (dids?.every((did) => Number.isSafeInteger(did) && did <= limits.did_blocks) !== true)
    return `Give DIDs as whole numbers of blocks, at most ${limits.did_blocks.toLocaleString("en-GB")}.`;
  if (new Set(dids).size < dids.length) return "The same DID is named twice.";
  return draft.dnor > Math.min(...dids) ? "DNOR is at most the least DID." : null;
}

function lackOfCleaning(draft: Draft): string | null {
  const fullnesses = fullnessesOf(draft);
  if (fullnesses?.every((value) => value >= 0.01 && value <= 1) !== true)
    return "Give fullnesses in percent, from 1 to 100.";
  if (new Set(fullnesses).size < fullnesses.length) return "The same fullness is named twice.";
  return parseBytes(draft.band) === null ? "Give the band as a size, such as 16 MiB." : null;
}

/** Returns why the study cannot start yet; null when it can. The server decides the rest. */
export function lackOf(draft: Draft): string | null {
  if (draft.policies.length + (draft.kind === "cleaning" ? draft.cleaners.length : 0) === 0)
    return draft.kind === "cleaning" ? "Choose a policy or a cleaner." : "Choose a policy.";
  const lack =
    lackOfDids(draft) ??
    lackOfSize(draft.size, draft.kind === "capacity" ? "size of all files" : "size of the disk") ??
    (draft.kind === "cleaning" ? lackOfCleaning(draft) : null);
  if (lack !== null) return lack;
  const most = limits.results_count.toLocaleString("en-GB");
  return cellsCount(draft) * draft.seeds > limits.results_count
    ? `A study has at most ${most} results. Choose fewer values or seeds.`
    : null;
}

/** Returns the request. Call it for a draft that lacks nothing. */
export function requestOf(draft: Draft): StudyRequest {
  const size = parseBytes(draft.size) ?? 0;
  const both = {
    policies: [...draft.policies],
    did_blocks: didsOf(draft) ?? [],
    dnor_blocks: draft.dnor,
    seeds_count: draft.seeds,
  };
  const settings: Settings =
    draft.kind === "capacity"
      ? { kind: "capacity", ...both, usable_bytes: size, operations_count: draft.operations }
      : {
          kind: "cleaning",
          ...both,
          cleaners: [...draft.cleaners],
          fullnesses: fullnessesOf(draft) ?? [],
          size_bytes: size,
          band_bytes: parseBytes(draft.band) ?? 0,
          times: draft.times,
        };
  return { settings, host_name: draft.host_name, name: draft.name, note: "" };
}
