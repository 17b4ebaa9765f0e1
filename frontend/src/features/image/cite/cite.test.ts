import { describe, expect, it } from "vitest";
import type { Image, Recipe } from "../../../api/client";
import described from "../../../api/settings.json";
import { bibtexOf, commandOf, readmeOf, subjectOf, textOf } from "./cite";

const usual = Object.fromEntries(
  Object.entries(described).map(([name, { default: value }]) => [name, value]),
);
const recipe = {
  ...usual,
  profile: "agrawal",
  profile_version_number: 1,
  file_system: "ext4",
  fullness: 0.7,
  fullness_of: "files",
  mode: "faithful",
  data_mode: "materialize",
  capture_mode: "allocated",
  seed: 7,
  survivors: false,
  keeps_log: false,
  in_memory: false,
  workload: null,
  plan_digest: "ab".repeat(32),
  device_size_bytes: 2 ** 30,
  mkfs_command: ["mkfs.ext4", "-F"],
  mount_options: "noatime",
  kernel: "6.18.2",
  patina_version: "0.1.0",
} as unknown as Recipe;

const image = {
  id: 19,
  name: "agrawal_70%",
  parent: null,
  recipe,
  intake: null,
  profile_title: "Agrawal 2007",
  profile_version_number: 1,
  file_system: "ext4",
  size_bytes: 2 ** 30,
  index_digest: "0123456789abcdef".repeat(4),
  created_at: "2026-11-26T21:31:44Z",
} as unknown as Image;
const imported = {
  ...image,
  recipe: null,
  file_system: null,
  intake: { patina_version: "0.1.0" },
} as unknown as Image;
const origin = "http://lab:8040";

describe("a reference to an image", () => {
  it("is a text with the digest and the address", () => {
    expect(textOf(image, origin)).toBe(
      `agrawal_70%: ext4 aged to Agrawal 2007 version 1, 70 %, seed 7. Patina 0.1.0, 2026-11-26. http://lab:8040/images/19. SHA-256 ${image.index_digest}.`,
    );
    expect(subjectOf(imported)).toBe("image, imported");
    expect(subjectOf({ ...image, profile_title: null })).toBe("ext4 aged to agrawal version 1, 70 %, seed 7");
    expect(subjectOf({ ...image, parent: { id: 1, name: "before" } })).toMatch(/, after a trial$/);
  });
  it("is BibTeX that TeX can read", () => {
    const entry = bibtexOf({ ...image, name: "a_b%c{d}\\e^f~g" }, origin);
    expect(entry).toContain(
      String.raw`{{a\_b\%c\{d\}\textbackslash{}e\textasciicircum{}f\textasciitilde{}g}`,
    );
    expect(entry).toMatch(/^@misc\{patina-0123456789ab,\n/);
    expect(entry).toContain("year = {2026}");
  });
  it("is a README with the command that makes it again, unless it was imported or measured", () => {
    const readme = readmeOf({ ...image, name: "a|b" }, origin);
    expect(readme).toContain(String.raw`| Image | a\|b |`);
    expect(readme).toContain("patina pull a|b");
    expect(readme).toContain(commandOf(recipe));
    expect(readmeOf(imported, origin)).not.toContain("patina age");
    expect(readmeOf({ ...image, parent: { id: 1, name: "before" } }, origin)).not.toContain("patina age");
  });
});

describe("the command of a recipe", () => {
  it("leaves out what is usual, and never the seed and the file system", () => {
    const words = commandOf(recipe).split(/ (?=--)/);
    expect(words[0]).toBe("patina age DEVICE");
    expect(words.slice(1).toSorted()).toEqual([
      "--file-system ext4",
      "--fullness 70",
      "--profile agrawal",
      "--profile-version 1",
      "--seed 7",
    ]);
  });
  it("has the settings of a workload, and flags without values", () => {
    const words = commandOf({
      ...recipe,
      profile: null,
      profile_version_number: null,
      workload: "fsfb",
      rounds_count: 50,
      fullness: 0.95,
      keeps_log: true,
      mode: "fast",
      append_fraction: 0.1,
      added_mkfs_options: "-i 8192 -O ^quota",
      added_mount_options: "nodelalloc",
    });
    for (const word of [
      "--workload fsfb",
      "--set rounds_count=50",
      "--fullness 95",
      "--keep-log",
      "--mode fast",
      '--mkfs-options "-i 8192 -O ^quota"',
      "--mount-options nodelalloc",
    ])
      expect(words).toContain(word);
    expect(words).toContain("--set append_fraction=0.1");
    expect(words).not.toContain("--profile");
  });
});
