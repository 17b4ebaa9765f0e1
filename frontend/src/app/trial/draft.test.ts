import { describe, expect, it } from "vitest";
import type { ImageItem, Trial, TrialWorkload } from "../../api/client";
import {
  armsOf,
  draftLike,
  emptyDraft,
  expectedSeconds,
  hasJournal,
  type Draft,
  lackingTwins,
  lackOf,
  usualState,
  workloadsOf,
} from "./draft";
import { plans } from "./plans";

const image = (id: number, changes: Partial<ImageItem> = {}): ImageItem =>
  ({
    id,
    name: `image-${id}`,
    run_id: id,
    file_system: "ext4",
    is_readable: true,
    intake: null,
    workload: null,
    ...changes,
  }) as ImageItem;

describe("a draft of a trial", () => {
  it("lacks an image, a workload and a device, in this order", () => {
    expect(lackOf({ ...emptyDraft, chosen: [] }, [])).toBe("Choose an image.");
    expect(lackOf({ ...emptyDraft, image_ids: [1], chosen: [] }, [image(1)])).toBe("Choose a workload.");
    expect(lackOf({ ...emptyDraft, image_ids: [1] }, [image(1)])).toBe("Choose a device.");
    expect(lackOf({ ...emptyDraft, image_ids: [1], device_id: 1 }, [image(1)])).toBeNull();
  });
  it("refuses grep on files without data", () => {
    const draft = { ...emptyDraft, image_ids: [1], device_id: 1, chosen: ["grep"] };
    expect(lackOf(draft, [image(1, { is_readable: false })])).toMatch(/no data to read: leave grep out/);
    expect(lackOf({ ...draft, getsData: true }, [image(1, { is_readable: false })])).toBeNull();
    expect(lackOf(draft, [image(1, { is_readable: null })])).toBeNull();
  });
  it("gives one time to all personalities, its own too", () => {
    const own = [{ kind: "personality", name: "mine", spec: "x", seconds: 1, warm_up_s: 0 }] as const;
    const workloads = workloadsOf({ ...emptyDraft, chosen: ["varmail", "du"], own, seconds: 30 });
    expect(workloads.map((workload) => ("seconds" in workload ? workload.seconds : null))).toEqual([
      30,
      null,
      30,
    ]);
  });
  it("measures the three variants of git, and the programs by their kinds", () => {
    const workloads = workloadsOf({
      ...emptyDraft,
      chosen: ["git", "postmark", "postmark program", "grep"],
      git: { pulls: 5, every: 2, repository: "/srv/linux" },
    });
    expect(workloads.map(({ kind }) => kind)).toEqual([
      "git",
      "git",
      "git",
      "personality",
      "postmark",
      "grep",
    ]);
    expect(workloads.slice(0, 3)).toMatchObject(
      ["full", "empty", "unaged"].map((variant) => ({
        variant,
        pulls_count: 5,
        grep_every: 2,
        repository: "/srv/linux",
      })),
    );
  });
  it("ages an image for each number of rounds, the most first, by one seed", () => {
    const states = [{ ...usualState, goal: "fsfb", percent: 95, rounds: 120, every: 50 }];
    const arms = armsOf({ ...emptyDraft, source: "aging", states }, []);
    expect(arms.map(({ ages }) => ages?.rounds_count)).toEqual([120, 100, 50, 0]);
    expect(new Set(arms.map(({ ages }) => ages?.seed)).size).toBe(1);
  });
  it("refuses more images than a trial has", () => {
    const states = [{ ...usualState, goal: "fsfb", rounds: 500, every: 1 }];
    expect(lackOf({ ...emptyDraft, source: "aging", states }, [])).toMatch(/^A trial has at most 32 images/);
  });
  it("bears a number that is half typed", () => {
    const states = [{ ...usualState, goal: "fsfb", every: 0 }];
    expect(armsOf({ ...emptyDraft, source: "aging", states }, []).length).toBe(33);
    const git = { pulls: 5, every: 0, repository: "" };
    expect(expectedSeconds({ ...emptyDraft, chosen: ["git"], git }, 1)).toBeGreaterThan(0);
  });
  it("refuses a repository that is not an absolute path, and too many measurements", () => {
    const draft = { ...emptyDraft, image_ids: [1], device_id: 1, chosen: ["git"] };
    const lack = (git: Draft["git"]) => lackOf({ ...draft, git }, [image(1)]);
    expect(lack({ pulls: 3, every: 1, repository: "linux" })).toMatch(/absolute path/);
    expect(lack({ pulls: 300, every: 1, repository: "" })).toMatch(/at most 200 times/);
    expect(lack({ pulls: 200, every: 1, repository: " /srv/linux " })).toBeNull();
  });
  it("refuses grep on a fresh file system, and has no twin of it", () => {
    const states = [{ ...usualState, goal: "fresh" }];
    const draft: Draft = { ...emptyDraft, source: "aging", states, chosen: ["grep"], device_id: 1 };
    expect(lackOf(draft, [])).toMatch(/^A fresh file system has no files/);
    expect(lackingTwins(draft, [])).toEqual([]);
  });
  it("is that of an earlier trial, with its own numbers", () => {
    const git = { pulls: 7, every: 2, repository: "/srv/data/linux" };
    const before: Draft = { ...emptyDraft, chosen: ["git", "postmark program", "varmail", "find"], git };
    const trialOf = (workloads: readonly TrialWorkload[]) =>
      ({
        settings: { workloads, arms: [{ run_id: 3 }], repetitions_count: 4, is_traced: false },
        repetitions: [
          { image: { id: 9, name: "made" } },
          { image: { id: 9, name: "made" } },
          { image: null },
        ],
        device: { id: 2 },
        name: "again",
      }) as unknown as Trial;
    const again = draftLike(trialOf(workloadsOf(before)));
    expect(workloadsOf(again)).toEqual(workloadsOf(before));
    expect(again).toMatchObject({ image_ids: [9], git, own: [], repetitions: 4, isTraced: false });
    const others: TrialWorkload[] = [
      { kind: "git", variant: "full", pulls_count: 7, grep_every: 2, files_count: 10 },
      { kind: "postmark", files_count: 1, transactions_count: 2 },
    ];
    expect(workloadsOf(draftLike(trialOf(others)))).toEqual(others);
  });
  it("measures images of the catalog without their journal too, and so does the trial after it", () => {
    const images = [image(1), image(2, { file_system: "xfs" })];
    const draft: Draft = { ...emptyDraft, image_ids: [1, 2], withoutJournal: true };
    const arms = armsOf(draft, images);
    expect(arms.map(({ image_id, has_journal }) => [image_id, has_journal])).toEqual([
      [1, true],
      [1, false],
      [2, true],
    ]);
    expect(lackingTwins(draft, images)).toEqual(["ext4", "ext4 without journal", "xfs"]);
    expect([hasJournal(draft, images), hasJournal({ ...draft, image_ids: [2] }, images)]).toEqual([
      true,
      false,
    ]);
    const repetitions = [1, 2].map((id) => ({ image: { id, name: "made" } }));
    const earlier = { settings: { workloads: [], arms }, repetitions, device: { id: 2 }, name: "" };
    expect(armsOf(draftLike(earlier as unknown as Trial), images)).toEqual(arms);
  });
  it.each(plans)("can start the plan $name once a device is chosen", ({ draft }) => {
    expect(lackOf({ ...emptyDraft, ...draft, device_id: 1 }, [])).toBeNull();
  });
  it("takes longer with more images and repetitions", () => {
    const one = expectedSeconds(emptyDraft, 1);
    expect(expectedSeconds(emptyDraft, 2)).toBe(2 * one);
    expect(expectedSeconds({ ...emptyDraft, repetitions: 6 }, 1)).toBe(2 * one);
  });
  it("offers the twin of each file system once", () => {
    const images = [
      image(1),
      image(2),
      image(3, { file_system: "xfs" }),
      image(4, { file_system: "btrfs", workload: "replay" }),
    ];
    const draft = { ...emptyDraft, image_ids: [1, 2, 3, 4] };
    expect(lackingTwins(draft, images)).toEqual(["ext4", "xfs"]);
    const imported = image(5, { run_id: null, intake: { kind: "unaged" } as ImageItem["intake"] });
    expect(lackingTwins({ ...draft, image_ids: [1, 5] }, [...images, imported])).toEqual([]);
  });
});
