// The trial that is being put together: images, workloads, method.
import type {
  Device,
  FileSystem,
  ImageItem,
  RunSettings,
  Trial,
  TrialCreate,
  TrialWorkload,
} from "../../api/client";
import { nameOfWorkload, programs } from "../../features/trial/words";

export interface AgedState {
  /** The name of a profile; or fsfb, or fresh. */
  goal: string;
  percent: number;
  /** Of fsfb: an image after each so many rounds, from none to the last. */
  rounds: number;
  every: number;
}

export const usualState: AgedState = { goal: "agrawal", percent: 70, rounds: 500, every: 50 };

export interface GitChoice {
  pulls: number;
  every: number;
  /** In a scan folder of the host; empty: a synthetic one. */
  repository: string;
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
  /** Names of built-in workloads and programs; git stands for its three variants. */
  chosen: readonly string[];
  git: GitChoice;
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
  states: [usualState],
  withoutJournal: false,
  addsTwins: true,
  chosen: ["fileserver", "varmail"],
  git: { pulls: 300, every: 100, repository: "" },
  own: [],
  seconds: 60,
  warm_up_s: 5,
  repetitions: 3,
  isTraced: true,
  name: "",
  device_id: null,
  typed: "",
};

const programOf = (name: string) => programs.find((program) => program.name === name);

const usualPostmark: TrialWorkload = { kind: "postmark", files_count: 500, transactions_count: 5000 };

function variantsOf({ git: { pulls, every, repository } }: Draft): TrialWorkload[] {
  return (["full", "empty", "unaged"] as const).map((variant) => ({
    kind: "git",
    variant,
    repository: repository.trim() === "" ? null : repository.trim(),
    pulls_count: pulls,
    grep_every: every,
    files_count: 2000,
  }));
}

export function workloadsOf(draft: Draft): TrialWorkload[] {
  const { seconds, warm_up_s } = draft;
  const chosen = draft.chosen.flatMap((name): TrialWorkload[] => {
    if (name === "git") return variantsOf(draft);
    const program = programOf(name);
    if (program?.kind === "postmark") return [usualPostmark];
    return program === undefined
      ? [{ kind: "personality", name, seconds, warm_up_s }]
      : [{ kind: program.kind }];
  });
  const own = draft.own.map((workload): TrialWorkload =>
    workload.kind === "personality" ? { ...workload, seconds, warm_up_s } : workload,
  );
  return [...chosen, ...own];
}

/** Returns a draft with the settings and the images of an earlier trial. */
export function draftLike({ settings, name, device, repetitions }: Trial): Draft {
  const { workloads } = settings;
  const personality = workloads.find((workload) => workload.kind === "personality");
  const git = gitOf(workloads);
  const isBuiltIn = (workload: TrialWorkload) =>
    isOffered(workload) || (workload.kind === "git" && git !== null);
  const names = workloads
    .filter(isBuiltIn)
    .map((workload) => (workload.kind === "git" ? "git" : nameOfWorkload(workload)));
  return {
    ...emptyDraft,
    image_ids: [...new Set(repetitions.flatMap(({ image }) => image?.id ?? []))].toSorted((a, b) => a - b),
    withoutJournal: settings.arms.some(({ has_journal }) => has_journal === false),
    addsTwins: false,
    chosen: [...new Set(names)],
    git: git ?? emptyDraft.git,
    own: workloads.filter((workload) => !isBuiltIn(workload)),
    seconds: personality?.seconds ?? emptyDraft.seconds,
    warm_up_s: personality?.warm_up_s ?? emptyDraft.warm_up_s,
    repetitions: settings.repetitions_count ?? emptyDraft.repetitions,
    isTraced: settings.is_traced ?? true,
    name,
    device_id: device.id,
  };
}

/** Returns the choice that makes these workloads of git; null for none and for others. */
function gitOf(workloads: readonly TrialWorkload[]): GitChoice | null {
  const all = workloads.filter((workload) => workload.kind === "git");
  const [first] = all;
  if (first === undefined) return null;
  const { pulls_count = 0, grep_every = 1, repository } = first;
  const git = { pulls: pulls_count, every: grep_every, repository: repository ?? "" };
  const made = variantsOf({ ...emptyDraft, git });
  return isEqual(all, made) ? git : null;
}

const isEqual = (left: readonly TrialWorkload[], right: readonly TrialWorkload[]) => {
  const texts = (workloads: readonly TrialWorkload[]) =>
    workloads.map((workload) => JSON.stringify(workload, Object.keys(workload).toSorted())).toSorted();
  return texts(left).join() === texts(right).join();
};

/** Reports whether the list of workloads has it, as it is. */
function isOffered(workload: TrialWorkload): boolean {
  if (workload.kind === "personality") return workload.spec == null;
  const program = programs.find(({ kind }) => kind === workload.kind);
  return program !== undefined && (workload.kind !== "postmark" || isEqual([workload], [usualPostmark]));
}

const MOST_POINTS = 200;

function lackOfGit({ pulls, every, repository }: GitChoice): string | null {
  if (pulls > MOST_POINTS * Math.max(1, every))
    return `git is measured at most ${MOST_POINTS} times in a repetition. Measure less often.`;
  return /^\s*(\/|$)/.test(repository) ? null : "Give the repository by its absolute path.";
}

/** Returns why the trial cannot start yet; null when it can. */
export function lackOf(draft: Draft, images: readonly ImageItem[]): string | null {
  const count = armsOf(draft, images).length;
  if (count === 0)
    return draft.source === "catalog" ? "Choose an image." : "Choose a file system and a state.";
  if (count + (draft.addsTwins ? lackingTwins(draft, images).length : 0) > MOST_ARMS)
    return `A trial has at most ${MOST_ARMS} images, with the unaged twins. Choose fewer images, states or rounds.`;
  if (workloadsOf(draft).length === 0) return "Choose a workload.";
  const ofGit = draft.chosen.includes("git") ? lackOfGit(draft.git) : null;
  if (ofGit !== null) return ofGit;
  if (draft.device_id === null) return "Choose a device.";
  if (draft.source === "aging" && draft.chosen.includes("grep") && draft.states.some(isFresh))
    return "A fresh file system has no files: grep would read nothing. Leave grep out, or the fresh state.";
  const hollow = hollowOf(draft, images);
  if (hollow.length > 0 && !draft.getsData)
    return `The files of ${hollow.join(", ")} have no data to read: leave ${readersOf(draft).join(" and ")} out, or age the same recipe with data first.`;
  return null;
}

const readersOf = ({ chosen }: Draft) => chosen.filter((name) => name === "grep" || name === "git");

/** Returns the names of chosen images whose files have no data, if a workload reads it. */
export function hollowOf(draft: Draft, images: readonly ImageItem[]): string[] {
  if (draft.source !== "catalog" || readersOf(draft).length === 0) return [];
  return (
    images
      // What lacks contents is measured on emulated disks, which generate them.
      .filter(({ mode, is_readable }) => mode !== "metadata" && is_readable === false)
      .filter(({ id }) => draft.image_ids.includes(id))
      .map(({ name }) => name)
  );
}

const MOST_ARMS = 32;
const SEED = 1;
const journaled: ReadonlySet<string> = new Set<FileSystem>(["ext3", "ext4"]);

/** Returns the file systems that the trial measures, of the chosen images or of those that are aged first. */
function fileSystemsOf({ source, file_systems, image_ids }: Draft, images: readonly ImageItem[]): string[] {
  if (source === "aging") return [...file_systems];
  const chosen = images.filter(({ id }) => image_ids.includes(id));
  return chosen.flatMap(({ file_system }) => file_system ?? []);
}

/** Reports whether one of them has a journal that it can be measured without. */
export function hasJournal(draft: Draft, images: readonly ImageItem[]): boolean {
  return fileSystemsOf(draft, images).some((name) => journaled.has(name));
}

/** Returns what is measured, without the twins that the server adds. */
export function armsOf(draft: Draft, images: readonly ImageItem[]): TrialCreate["arms"] {
  const losesJournal = (file_system: string | null | undefined) =>
    draft.withoutJournal && file_system != null && journaled.has(file_system);
  if (draft.source === "catalog")
    return draft.image_ids.flatMap((image_id) => {
      const arm = { image_id, has_journal: true, gets_data: draft.getsData };
      const image = images.find(({ id }) => id === image_id);
      return losesJournal(image?.file_system) ? [arm, { ...arm, has_journal: false }] : [arm];
    });
  return draft.file_systems.flatMap((file_system) =>
    draft.states.flatMap(goalsOf).flatMap((goal) => {
      const ages = { file_system, data_mode: "materialize", ...goal } as const;
      const arm = { ages, has_journal: true, gets_data: false };
      return losesJournal(file_system) ? [arm, { ...arm, has_journal: false }] : [arm];
    }),
  );
}

const isFresh = ({ goal }: AgedState) => goal === "fresh";

/** Returns the goals of the runs that make the images of a state. The most rounds come first: that run has the twin. */
function goalsOf({ goal, percent, rounds, every }: AgedState): Partial<RunSettings>[] {
  const fullness = percent / 100;
  if (goal === "fresh") return [{ workload: "fresh" }];
  if (goal !== "fsfb") return [{ profile: goal, fullness }];
  // While it is typed, the number may be 0. More images than a trial may have are refused.
  const step = Math.max(1, every);
  const length = Math.min(Math.ceil(rounds / step), MOST_ARMS);
  const points = Array.from({ length }, (_, index) => index * step);
  // One seed: an image is what the next one was some rounds before.
  return [...points, rounds]
    .toReversed()
    .map((rounds_count) => ({ workload: "fsfb", rounds_count, fullness, seed: SEED }));
}

export function requestOf(draft: Draft, images: readonly ImageItem[], device: Device): TrialCreate {
  return {
    device_id: device.id,
    confirmation: {
      stable_id: device.stable_id,
      size_bytes: device.size_bytes,
      typed: draft.typed === "" ? null : draft.typed,
    },
    arms: armsOf(draft, images),
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
// A pull of a small repository with its sync; the full variant has many clones.
const PULL_S = 0.1;
const CLONES_OF_FULL = 20;

function secondsOf(workload: TrialWorkload): number {
  if (workload.kind === "personality") return (workload.seconds ?? 0) + (workload.warm_up_s ?? 0);
  if (workload.kind !== "git") return PASS_S;
  const pulls = workload.pulls_count ?? 0;
  const points = Math.ceil(pulls / Math.max(1, workload.grep_every ?? 1)) + 1;
  const clones = { full: CLONES_OF_FULL, empty: 1, unaged: points / 2 }[workload.variant ?? "empty"];
  return points * PASS_S + pulls * clones * PULL_S;
}

/** Returns about how long the trial takes, without the making of twins. */
export function expectedSeconds(draft: Draft, arms_count: number): number {
  const each = workloadsOf(draft).reduce((sum, workload) => sum + OVERHEAD_S + secondsOf(workload), 0);
  return each * arms_count * draft.repetitions;
}

/** Returns the unaged twins that are not among the images: file systems, with their journal and without. */
export function lackingTwins(draft: Draft, images: readonly ImageItem[]): string[] {
  return withoutTwin(draft, images).flatMap((name) =>
    draft.withoutJournal && journaled.has(name) ? [name, `${name} without journal`] : [name],
  );
}

function withoutTwin(draft: Draft, images: readonly ImageItem[]): string[] {
  if (draft.source === "aging") return draft.states.every(isFresh) ? [] : [...draft.file_systems];
  const chosen = images.filter(({ id }) => draft.image_ids.includes(id));
  const unaged = new Set(chosen.filter(isUnaged).map(({ file_system }) => file_system));
  return [
    ...new Set(
      chosen
        .filter((image) => image.run_id !== null && image.workload !== "fresh" && !isUnaged(image))
        .flatMap(({ file_system }) => (file_system === null || unaged.has(file_system) ? [] : [file_system])),
    ),
  ];
}

/** Reports whether the image is unaged itself: imported as such, or a replay (of survivors, as the API decides). */
function isUnaged({ intake, workload }: ImageItem): boolean {
  return intake?.kind === "unaged" || workload === "replay";
}
