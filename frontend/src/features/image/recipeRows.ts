// The members of a recipe in words.
import type { ImageOfAging, Recipe } from "../../api/client";
import { distanceOf } from "../../shared/distances";
import { workloadOf } from "../../shared/goal";
import { agingModes, dataModeWords, fullnessKinds } from "../../shared/modes";
import { unusual } from "../../shared/settings";
import { formatFraction, fraction } from "../../shared/units";

/** Returns the mode's name and the steps of its way. */
function modeOf({ mode, way, threads_count }: Recipe): string {
  const name = agingModes[mode].label;
  if (way === null) return `${name}, ${writers(threads_count ?? 1)}`;
  const does = [
    name,
    writers(way.threads_count),
    way.writes_files ? "files written" : "files allocated",
    way.write_back_ops > 0 && `written back every ${way.write_back_ops} operations`,
    way.on_any_processor && "each time on a processor drawn at random",
    way.keeps_freed && "deleted files freed behind it",
    way.sync_ops > 0 && `a commit every ${way.sync_ops} operations`,
    way.reuse_lag_fraction > 0 &&
      `a commit at a reuse lag of ${formatFraction(fraction(way.reuse_lag_fraction)).text}`,
  ];
  return does.filter((words) => words !== false).join(", ");
}

function writers(count: number): string {
  return `${count} ${count === 1 ? "writer" : "writers"}`;
}

/** Returns the largest lag of the samples, over the planned free space. */
function lagOf({ lag }: ImageOfAging["summary"]): string | null {
  if (lag == null) return null;
  const percent = (value: number) => formatFraction(fraction(value)).text;
  return `${percent(lag.reuse_fraction)} freed and not reusable, ${percent(lag.allocation_fraction)} written and not allocated`;
}

export type RecipeRow = readonly [label: string, value: string | number | null];

/** Returns each member that has a meaning for this recipe, with its label; null or empty: not set. */
export function recipeRows({ recipe, summary }: ImageOfAging): RecipeRow[] {
  return [
    ["Profile", recipe.profile && `${recipe.profile} version ${recipe.profile_version_number}`],
    ["Profile digest", recipe.profile_digest],
    ["Workload", workloadOf(recipe)],
    ["Replayed digest", recipe.recorded_digest],
    ["Fullness", recipe.fullness],
    ["Fullness of", recipe.profile && fullnessKinds[recipe.fullness_of].label],
    ["Seed", recipe.seed],
    ["Horizon", recipe.horizon_ops_count === null ? null : `${recipe.horizon_ops_count} operations`],
    ["Plan digest", recipe.plan_digest],
    ["Device", [recipe.device_model, `${recipe.device_size_bytes} bytes`].filter(Boolean).join(", ")],
    ["Capacity", recipe.capacity_bytes === null ? null : `${recipe.capacity_bytes} bytes`],
    ["Block size", recipe.block_size_bytes === null ? null : `${recipe.block_size_bytes} bytes`],
    ["Make file system", recipe.mkfs_command.join(" ")],
    ["Features", recipe.mkfs_features.join(" ")],
    ["UUID", recipe.file_system_uuid],
    ["Mount options", recipe.mount_options],
    ["Mode", modeOf(recipe)],
    ["Largest lag", lagOf(summary)],
    ["Measured of this mode", distanceOf(recipe.file_system, recipe.mode)],
    ["Data", dataModeWords(recipe.data_mode)],
    ["Stop at RMSE", recipe.max_rmse],
    ...unusual(recipe, ["seed", "threads_count"]),
    ["Host", `${recipe.host}, ${recipe.kernel}`],
    ["Patina", recipe.patina_version],
    [
      "Tools",
      Object.entries(recipe.tools)
        .map((tool) => tool.join(" "))
        .join(", "),
    ],
  ];
}
