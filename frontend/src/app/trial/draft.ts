// The trial that is being put together: images, workloads, method.
import type { Device, FileSystem, ImageItem, Trial, TrialCreate, TrialWorkload } from "../../api/client";
import { nameOfWorkload, passes } from "../../features/trial/words";

export interface AgedState {
  profile: string;
  percent: number;
}

export interface Draft {
  /** Images of the catalog, or images that are aged first. */
  source: "catalog" | "aging";
  image_ids: readonly number[];
  /** Age the recipe of an image without data again, with data. */
  getsData: boolean;
  /** Of images that are aged first. */
  file_systems: readonly FileSystem[];
  states: readonly AgedState[];
  /** Measure ext3 and ext4 without their journal too. */
  withoutJournal: boolean;
  /** Measure the unaged twin of each file system too. */
  addsTwins: boolean;
  /** Names of built-in workloads, and kinds of passes. */
  chosen: readonly string[];
  /** Workloads of the user's own. */
  own: readonly TrialWorkload[];
  seconds: number;
  warm_up_s: number;
  repetitions: number;
  isTraced: boolean;
  name: string;
  device_id: number | null;
  typed: string;
}

export const emptyDraft: Draft = {
  source: "catalog",
  image_ids: [],
  getsData: false,
  file_systems: ["ext4"],
  states: [{ profile: "agrawal", percent: 70 }],
  withoutJournal: false,
  addsTwins: true,
  chosen: ["fileserver", "varmail"],
  own: [],
  seconds: 60,
  warm_up_s: 5,
  repetitions: 3,
  isTraced: true,
  name: "",
  device_id: null,
  typed: "",
};

const passKinds: readonly string[] = passes.map(({ kind }) => kind);

function isPass(name: string): name is (typeof passes)[number]["kind"] {
  return passKinds.includes(name);
}

export function workloadsOf(draft: Draft): TrialWorkload[] {
  const { seconds, warm_up_s } = draft;
  const chosen = draft.chosen.map((name): TrialWorkload =>
    isPass(name) ? { kind: name } : { kind: "personality", name, seconds, warm_up_s },
  );
  const own = draft.own.map((workload): TrialWorkload =>
    workload.kind === "personality" ? { ...workload, seconds, warm_up_s } : workload,
  );
  return [...chosen, ...own];
}

/** Returns a draft with the settings of an earlier trial; images that are made by runs are left out. */
export function draftLike({ settings, name, device }: Trial): Draft {
  const personality = settings.workloads.find((workload) => workload.kind === "personality");
  return {
    ...emptyDraft,
    image_ids: [...new Set(settings.arms.flatMap(({ image_id }) => image_id ?? []))],
    addsTwins: false,
    chosen: settings.workloads.filter(isBuiltIn).map((workload) => nameOfWorkload(workload)),
    own: settings.workloads.filter((workload) => !isBuiltIn(workload)),
    seconds: personality?.seconds ?? emptyDraft.seconds,
    warm_up_s: personality?.warm_up_s ?? emptyDraft.warm_up_s,
    repetitions: settings.repetitions_count ?? emptyDraft.repetitions,
    isTraced: settings.is_traced ?? true,
    name,
    device_id: device.id,
  };
}

function isBuiltIn(workload: TrialWorkload): boolean {
  return workload.kind === "personality" ? workload.spec == null : isPass(workload.kind);
}

/** Returns why the trial cannot start yet; null when it can. */
export function lackOf(draft: Draft, images: readonly ImageItem[]): string | null {
  if (armsOf(draft).length === 0)
    return draft.source === "catalog" ? "Choose an image." : "Choose a file system and a state.";
  if (workloadsOf(draft).length === 0) return "Choose a workload.";
  if (draft.device_id === null) return "Choose a device.";
  const hollow = hollowOf(draft, images);
  if (hollow.length > 0 && !draft.getsData)
    return `The files of ${hollow.join(", ")} have no data: grep would read nothing. Leave grep out, or age the same recipe with data first.`;
  return null;
}

/** Returns the names of chosen images whose files have no data, if a workload reads it. */
export function hollowOf(draft: Draft, images: readonly ImageItem[]): string[] {
  if (draft.source !== "catalog" || !draft.chosen.includes("grep")) return [];
  return images
    .filter(({ id, is_readable }) => draft.image_ids.includes(id) && is_readable === false)
    .map(({ name }) => name);
}

const journaled: ReadonlySet<FileSystem> = new Set(["ext3", "ext4"]);

/** Returns what is measured, without the twins that the server adds. */
export function armsOf(draft: Draft): TrialCreate["arms"] {
  if (draft.source === "catalog")
    return draft.image_ids.map((image_id) => ({ image_id, has_journal: true, gets_data: draft.getsData }));
  return draft.file_systems.flatMap((file_system) =>
    draft.states.flatMap(({ profile, percent }) => {
      const ages = { file_system, profile, fullness: percent / 100, data_mode: "materialize" } as const;
      const arm = { ages, has_journal: true, gets_data: false };
      return draft.withoutJournal && journaled.has(file_system)
        ? [arm, { ...arm, has_journal: false }]
        : [arm];
    }),
  );
}

export function requestOf(draft: Draft, device: Device): TrialCreate {
  return {
    device_id: device.id,
    confirmation: {
      stable_id: device.stable_id,
      size_bytes: device.size_bytes,
      typed: draft.typed === "" ? null : draft.typed,
    },
    arms: armsOf(draft),
    workloads: workloadsOf(draft),
    repetitions_count: draft.repetitions,
    is_traced: draft.isTraced,
    name: draft.name,
    note: "",
    waits: device.state === "busy",
    adds_twins: draft.addsTwins,
  };
}

// A repetition beside its workload: restore or rollback, two mounts, the allocation of files.
const OVERHEAD_S = 8;
const PASS_S = 5;

/** Returns about how long the trial takes, without the making of twins. */
export function expectedSeconds(draft: Draft, arms_count: number): number {
  const each = workloadsOf(draft).reduce(
    (sum, workload) =>
      sum + OVERHEAD_S + (workload.kind === "personality" ? draft.seconds + draft.warm_up_s : PASS_S),
    0,
  );
  return each * arms_count * draft.repetitions;
}

/** Returns the file systems of the chosen images that have no unaged image among them. */
export function lackingTwins(draft: Draft, images: readonly ImageItem[]): string[] {
  if (draft.source === "aging") return draft.states.length === 0 ? [] : [...draft.file_systems];
  const chosen = images.filter(({ id }) => draft.image_ids.includes(id));
  const unaged = new Set(chosen.filter(isUnaged).map(({ file_system }) => file_system));
  return [
    ...new Set(
      chosen
        .filter((image) => image.run_id !== null && !isUnaged(image))
        .flatMap(({ file_system }) => (file_system === null || unaged.has(file_system) ? [] : [file_system])),
    ),
  ];
}

/** Reports whether the image is unaged itself: imported as such, or a replay (of survivors, as the API decides). */
function isUnaged({ intake, workload }: ImageItem): boolean {
  return intake?.kind === "unaged" || workload === "replay";
}
