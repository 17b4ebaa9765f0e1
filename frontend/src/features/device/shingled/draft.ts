// The choices for a new shingled disk: what is wrong with them, and the request that they become.
import type { AppendShingle, CaveatShingle, DiskModel, SandboxCreate, Shingle } from "../../../api/client";
import { bytes, formatBytes } from "../../../shared/units";
import type { Medium } from "../queries";
import { refusedBy } from "../refused";
import { MIB, sizeOf } from "../sandboxSize";

export type Interface = Shingle["interface"];
export type Placement = CaveatShingle["policy"];
export type Cleaner = AppendShingle["clean"];

/** Numbers as typed. `model` is the disk model of an emulated one. */
export interface Draft {
  size: string;
  shingling: Interface;
  did_blocks: number | null;
  dnor_blocks: number | null;
  band: string;
  policy: Placement;
  clean: Cleaner;
  model: string | null;
  medium: Medium;
  name: string;
  host_name: string | null;
  life: string;
}

export type Field = "size" | "did_blocks" | "dnor_blocks" | "band" | "model" | "name";
export type Problems = Partial<Record<Field, string>>;

export const usualDraft: Draft = {
  size: "4 GiB",
  shingling: "caveat",
  did_blocks: 16,
  dnor_blocks: 0,
  band: "64 MiB",
  policy: "best",
  clean: "greedy",
  model: null,
  medium: "file",
  name: "",
  host_name: null,
  life: "",
};

const BLOCK_BYTES = 4096;
export const MOST_BLOCKS = 2 ** 20;
const LEAST_BYTES = 64 * MIB;
const MOST_BYTES = 2 ** 50;
const MOST_BAND_BYTES = 2 ** 40;
const PARTITION_SHARE = 32;
const LEAST_PARTITION_BYTES = 16 * MIB;

const textOf = (size: number) => formatBytes(bytes(size)).text;

/** Returns the size of the disk; a number alone is in GiB. */
export const diskBytesOf = ({ size }: Draft): number | null => sizeOf(size, "GiB");
/** Returns the size of a band; a number alone is in MiB. */
export const bandBytesOf = ({ band }: Draft): number | null => sizeOf(band, "MiB");

/** Returns the room for data: behind the metadata partition, which has a 32nd, at least 16 MiB. */
export function dataBytesOf(size_bytes: number): number {
  return size_bytes - Math.max(Math.floor(size_bytes / PARTITION_SHARE), LEAST_PARTITION_BYTES);
}

function whyNotSize(draft: Draft, model: DiskModel | null): string | null {
  const size = diskBytesOf(draft);
  if (size === null) return "A size, such as 4 GiB";
  if (size < LEAST_BYTES) return "At least 64 MiB";
  if (size > MOST_BYTES) return "At most 1 PiB";
  if (model === null || size <= model.capacity_bytes) return null;
  return `The modelled disk has ${textOf(model.capacity_bytes)}: choose no more, or another model`;
}

function whyNotBlocks(blocks: number | null): string | null {
  const isWhole = blocks !== null && Number.isInteger(blocks) && blocks >= 0 && blocks <= MOST_BLOCKS;
  return isWhole ? null : `A whole number from 0 to ${MOST_BLOCKS.toLocaleString("en-GB")}`;
}

function whyNotDnor({ did_blocks, dnor_blocks }: Draft): string | null {
  const problem = whyNotBlocks(dnor_blocks);
  if (problem !== null || did_blocks === null || (dnor_blocks ?? 0) <= did_blocks) return problem;
  return `At most the DID, ${did_blocks} blocks`;
}

function whyNotBand(draft: Draft): string | null {
  const [band, size] = [bandBytesOf(draft), diskBytesOf(draft)];
  if (band === null) return "A size, such as 64 MiB";
  if (band < MIB || band % MIB !== 0) return "A whole number of MiB, at least 1 MiB";
  if (band > MOST_BAND_BYTES) return "At most 1 TiB";
  if (size === null || size < LEAST_BYTES) return null;
  const [data, least] = [dataBytesOf(size), 2 * band + (draft.did_blocks ?? 0) * BLOCK_BYTES];
  if (least <= data) return null;
  return `Two bands do not fit: ${textOf(data)} are left behind the metadata partition`;
}

/** Returns what must be corrected before the disk can be made. */
export function problemsOf(draft: Draft, models: readonly DiskModel[]): Problems {
  const model = models.find(({ name }) => name === draft.model) ?? null;
  const isCaveat = draft.shingling === "caveat";
  const found: Record<string, string | null> = {
    size: whyNotSize(draft, model),
    did_blocks: whyNotBlocks(draft.did_blocks),
    dnor_blocks: isCaveat ? whyNotDnor(draft) : null,
    band: isCaveat ? null : whyNotBand(draft),
  };
  return Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== null));
}

function shingleOf(draft: Draft): NonNullable<SandboxCreate["shingle"]> {
  const did_blocks = draft.did_blocks ?? 0;
  if (draft.shingling === "caveat")
    return {
      interface: "caveat",
      did_blocks,
      dnor_blocks: draft.dnor_blocks ?? 0,
      policy: draft.policy,
    };
  return { interface: "strict-append", did_blocks, band_bytes: bandBytesOf(draft) ?? 0, clean: draft.clean };
}

/** Returns the request of a draft without problems. An emulated disk keeps all data. */
export function requestOf(draft: Draft): SandboxCreate {
  const { model, medium, host_name, life } = draft;
  return {
    size_bytes: diskBytesOf(draft) ?? 0,
    medium,
    host_name,
    name: draft.name.trim() || null,
    expires_in_s: life === "" ? null : Number(life),
    shingle: shingleOf(draft),
    emulation: model === null ? null : { model, keeps_all: true },
  };
}

const fieldsOfCodes: Partial<Record<string, Field>> = {
  sandbox_quota_exceeded: "size",
  memory_too_small: "size",
  shingled_disk_too_small: "size",
  disk_model_unknown: "model",
  disk_model_too_small: "size",
};
const fieldsOfNames: Partial<Record<string, Field>> = {
  size_bytes: "size",
  name: "name",
  "emulation.model": "model",
};

/** Returns the server's refusal by field; null where it is not about fields that the form has. */
export function refusedFields(error: unknown): Problems | null {
  return refusedBy(error, fieldsOfCodes, fieldsOfNames);
}
