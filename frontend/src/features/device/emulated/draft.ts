// The choices for a new emulated disk: what is wrong with them, and the request that they become.
import type { DiskModel, EmulationCreate, SandboxCreate } from "../../../api/client";
import type { Medium } from "../queries";
import { GIB, MIB, sizeOf } from "../sandboxSize";
import {
  capacityOf,
  modelledOf,
  modelledProblems,
  usualModelled,
  type ModelledDraft,
  type ModelledField,
} from "./modelled";
import { bytes, formatBytes } from "../../../shared/units";

export type Content = NonNullable<EmulationCreate["data"]>;
export type Time = NonNullable<EmulationCreate["time"]>;

/** Numbers as typed. An empty `limit` is the usual one. */
export interface Draft extends ModelledDraft {
  size: string;
  model: string | null;
  time: Time;
  data: Content;
  compressible_percent: number | null;
  seed: number | null;
  limit: string;
  keeps_all: boolean;
  /** One pattern a line. */
  kept_paths: string;
  medium: Medium;
  name: string;
  host_name: string | null;
  life: string;
}

export type Field =
  | ModelledField
  | "size"
  | "model"
  | "compressible_percent"
  | "seed"
  | "limit"
  | "name"
  | "kept_paths";
export type Problems = Partial<Record<Field, string>>;

export const usualDraft: Draft = {
  ...usualModelled,
  size: "1 TiB",
  model: null,
  time: "fast",
  data: "random",
  compressible_percent: 0,
  seed: 0,
  limit: "",
  keeps_all: false,
  kept_paths: "",
  medium: "file",
  name: "",
  host_name: null,
  life: "",
};

export const presets = [16 * GIB, 256 * GIB, 1024 * GIB, 16 * 1024 * GIB, 1024 * 1024 * GIB];

const LEAST_BYTES = 64 * MIB;
const MOST_BYTES = 2 ** 50;
const USUAL_LIMIT_BYTES = 4 * GIB;
/** The largest whole number that JavaScript holds exactly. */
export const MOST_SEED = Number.MAX_SAFE_INTEGER;

const textOf = (size: number) => formatBytes(bytes(size)).text;

/** Returns the bytes of a size as typed; a number alone is in GiB. Null for what is no size. */
export function bytesOf(typed: string): number | null {
  return sizeOf(typed, "GiB");
}

/** Returns a size as it can be typed: rounded down to what the field shows, so that it stays inside the disk. */
export function typedOf(size_bytes: number): string {
  const shown = textOf(size_bytes);
  const read = bytesOf(shown);
  return read !== null && read <= size_bytes ? shown : `${Math.floor((size_bytes / GIB) * 10) / 10} GiB`;
}

/** Returns the limit that the server chooses where none is given. */
export function usualLimitOf({ size, keeps_all }: Draft): number {
  const size_bytes = bytesOf(size) ?? USUAL_LIMIT_BYTES;
  return keeps_all ? size_bytes : Math.min(size_bytes, USUAL_LIMIT_BYTES);
}

function whyNotBytes(typed: string): string | null {
  const size = bytesOf(typed);
  if (size === null) return "A size, such as 1 TiB";
  if (size < LEAST_BYTES) return "At least 64 MiB";
  return size > MOST_BYTES ? "At most 1 PiB" : null;
}

function whyNotSize(draft: Draft, model: DiskModel | null): string | null {
  const problem = whyNotBytes(draft.size);
  if (problem !== null || model === null) return problem;
  const most_bytes = capacityOf(draft, model);
  if ((bytesOf(draft.size) ?? 0) <= most_bytes) return null;
  return `The modelled disk has ${textOf(most_bytes)}: choose no more, or another model`;
}

/** Returns the chosen model; null for none. */
export function modelOf({ model }: Draft, models: readonly DiskModel[]): DiskModel | null {
  return models.find(({ name }) => name === model) ?? null;
}

const MOST_PATHS = 32;
const MOST_PATH_LENGTH = 200;

/** Returns the patterns, of which there are none where all data is kept. */
export function keptPathsOf({ keeps_all, kept_paths }: Draft): string[] {
  if (keeps_all) return [];
  return kept_paths
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function whyNotPaths(draft: Draft): string | null {
  const paths = keptPathsOf(draft);
  if (paths.length > MOST_PATHS) return `At most ${MOST_PATHS} lines`;
  const wrong = paths.find((path) => path.split("/").some((name) => ["", ".", ".."].includes(name)));
  if (wrong !== undefined) return `From the root of the file system, such as database/**; not ${wrong}`;
  return paths.some((path) => path.length > MOST_PATH_LENGTH)
    ? `At most ${MOST_PATH_LENGTH} characters a line`
    : null;
}

/** Returns what must be corrected before the disk can be made. */
export function problemsOf(draft: Draft, models: readonly DiskModel[]): Problems {
  const model = modelOf(draft, models);
  const modelled = model === null ? {} : modelledProblems(draft);
  const size = modelled.disks_count === undefined ? whyNotSize(draft, model) : whyNotBytes(draft.size);
  const kept_paths = whyNotPaths(draft);
  const limit = draft.limit.trim() === "" ? null : whyNotBytes(draft.limit);
  return {
    ...modelled,
    ...(size !== null && { size }),
    ...(limit !== null && { limit }),
    ...(kept_paths !== null && { kept_paths }),
    ...(draft.compressible_percent === null && { compressible_percent: "From 0 to 100 %" }),
    ...(draft.seed === null && { seed: "A whole number, 0 or more" }),
  };
}

/** Returns the request of a draft without problems. */
export function requestOf(draft: Draft): SandboxCreate {
  const { model, data, time, keeps_all, medium, host_name } = draft;
  return {
    size_bytes: bytesOf(draft.size) ?? 0,
    medium,
    host_name,
    name: draft.name.trim() || null,
    expires_in_s: draft.life === "" ? null : Number(draft.life),
    emulation: {
      model,
      ...modelledOf(model === null ? usualModelled : draft),
      data,
      time: model === null ? "fast" : time,
      seed: draft.seed ?? 0,
      compressible_fraction: data === "zeroes" ? 0 : (draft.compressible_percent ?? 0) / 100,
      keeps_all,
      kept_paths: keptPathsOf(draft),
      available_bytes: draft.limit.trim() === "" ? null : bytesOf(draft.limit),
    },
  };
}
