import { describe, expect, it } from "vitest";
import type { ImageItem } from "../../api/client";
import { armsOf, emptyDraft, expectedSeconds, lackingTwins, lackOf, usualState, workloadsOf } from "./draft";
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
    expect(lackOf(draft, [image(1, { is_readable: false })])).toMatch(/with data/);
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
  it("measures the three twins of git, and the programs by their kinds", () => {
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
      ["full", "empty", "unaged"].map((twin) => ({
        twin,
        pulls_count: 5,
        grep_every: 2,
        repository: "/srv/linux",
      })),
    );
  });
  it("ages an image for each number of rounds, the most first, by one seed", () => {
    const states = [{ ...usualState, goal: "fsfb", percent: 95, rounds: 120, every: 50 }];
    const arms = armsOf({ ...emptyDraft, source: "aging", states });
    expect(arms.map(({ ages }) => ages?.rounds_count)).toEqual([120, 100, 50, 0]);
    expect(new Set(arms.map(({ ages }) => ages?.seed)).size).toBe(1);
  });
  it("refuses more images than a trial has", () => {
    const states = [{ ...usualState, goal: "fsfb", rounds: 500, every: 1 }];
    expect(lackOf({ ...emptyDraft, source: "aging", states }, [])).toMatch(/^501 images; .* at most 32/);
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
