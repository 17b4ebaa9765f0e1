// References to an image: a text, BibTeX, a README; and the command that ages such an image again.
import type { Image, Recipe } from "../../../api/client";
import described from "../../../api/settings.json";
import { workloadOf } from "../../../shared/goal";
import { bytes, formatBytes, formatFraction, fraction } from "../../../shared/units";

/** Options of `patina age` with names of their own; every other setting is a --set. */
const options: Partial<Record<keyof Recipe, string>> = {
  profile: "--profile",
  profile_version_number: "--profile-version",
  seed: "--seed",
  max_overwrites: "--max-overwrites",
  max_seconds: "--max-seconds",
  threads_count: "--threads",
  capture_mode: "--capture",
  added_mkfs_options: "--mkfs-options",
  added_mount_options: "--mount-options",
  workload: "--workload",
  replay_of: "--replay",
  file_system: "--file-system",
  fullness_of: "--fullness-of",
  mode: "--mode",
  data_mode: "--data",
};
const flags: Partial<Record<keyof Recipe, string>> = {
  survivors: "--survivors",
  keeps_log: "--keep-log",
  in_memory: "--in-memory",
};

/** Returns the command that carries out a recipe. Settings with their usual values are left out, except the seed. */
export function commandOf(recipe: Recipe): string {
  const words = Object.entries(described).flatMap(([key, { default: usual }]) => {
    const name = key as keyof typeof described;
    const value = recipe[name];
    if (value === null || (value === usual && name !== "file_system")) return [];
    if (name === "fullness") return `--fullness ${Number((Number(value) * 100).toPrecision(12))}`;
    const flag = flags[name];
    if (flag !== undefined) return flag;
    const option = options[name];
    const text = /[ ^]/.test(String(value)) ? `"${String(value)}"` : String(value);
    return option === undefined ? `--set ${name}=${text}` : `${option} ${text}`;
  });
  return ["patina age DEVICE", ...words].join(" ");
}

function goalOf(recipe: Recipe, profile_title: string | null): string {
  const profile = profile_title ?? recipe.profile; // an imported image has no profile of this server
  const goal = profile === null ? workloadOf(recipe) : `${profile} version ${recipe.profile_version_number}`;
  const fullness = recipe.fullness === null ? "" : `, ${percent(recipe.fullness)}`;
  return `${recipe.file_system} aged to ${goal}${fullness}, seed ${recipe.seed}`;
}

const percent = (value: number) => formatFraction(fraction(value)).text;

/** Returns what an image is, in a few words. */
export function subjectOf(image: Image): string {
  if (image.recipe === null) return `${image.file_system ?? "image"}, imported`;
  const made = goalOf(image.recipe, image.profile_title);
  return image.parent === null ? made : `${made}, after a trial`;
}

const addressOf = ({ id }: Image, origin: string) => `${origin}/images/${id}`;
const versionOf = ({ recipe, intake }: Image) => recipe?.patina_version ?? intake?.patina_version ?? "";

/** Returns a reference in one sentence each: name, subject, version and day, address, digest. */
export function textOf(image: Image, origin: string): string {
  const day = image.created_at.slice(0, 10);
  return `${image.name}: ${subjectOf(image)}. Patina ${versionOf(image)}, ${day}. ${addressOf(image, origin)}. SHA-256 ${image.index_digest}.`;
}

const special = /[\\{}$&#^_%~]/g;
const replaced: Record<string, string> = {
  "\\": "\\textbackslash{}",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
};
const inTex = (text: string) => text.replaceAll(special, (found) => replaced[found] ?? `\\${found}`);

/** Returns an entry for a bibliography. */
export function bibtexOf(image: Image, origin: string): string {
  const [year] = image.created_at.split("-");
  return [
    `@misc{patina-${image.index_digest.slice(0, 12)},`,
    `  title = {{${inTex(image.name)}}: ${inTex(subjectOf(image))}},`,
    `  year = {${year}},`,
    `  howpublished = {\\url{${addressOf(image, origin)}}},`,
    `  note = {Patina ${versionOf(image)}. Aged file system image, SHA-256 ${image.index_digest}}`,
    "}",
  ].join("\n");
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** Returns a README in Markdown: what the image is, how to fetch it, how to make it again. */
export function readmeOf(image: Image, origin: string): string {
  const { recipe } = image;
  const rows: [string, string][] = [
    ["Image", image.name],
    ["Digest", `\`sha256:${image.index_digest}\``],
    ["Size", `${formatBytes(bytes(image.size_bytes)).text} (${image.size_bytes} bytes)`],
    ["Made", image.created_at.slice(0, 10)],
  ];
  if (recipe !== null)
    rows.push(
      ["Plan digest", recipe.plan_digest === null ? "none" : `\`${recipe.plan_digest}\``],
      ["Made by", `Patina ${recipe.patina_version} on Linux ${recipe.kernel}`],
      ["mkfs", `\`${recipe.mkfs_command.join(" ")}\``],
      ["Mount options", `\`${recipe.mount_options}\``],
    );
  const again =
    recipe === null || image.parent !== null
      ? []
      : [
          "",
          "## Make it again",
          "",
          `On a device of ${recipe.device_size_bytes} bytes. Equal recipes have equal plan digests.`,
          "",
          "```sh",
          commandOf(recipe),
          "```",
        ];
  return [
    `# ${image.name}`,
    "",
    `${subjectOf(image)}. ${addressOf(image, origin)}`,
    "",
    "| | |",
    "| --- | --- |",
    ...rows.map(([name, value]) => `| ${name} | ${cell(value)} |`),
    "",
    "## Fetch it",
    "",
    "```sh",
    `export PATINA_URL=${origin}`,
    `patina pull ${image.name}`,
    "```",
    ...again,
    "",
  ].join("\n");
}
