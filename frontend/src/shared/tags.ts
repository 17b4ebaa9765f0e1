// Pure: tags as a user types them.

/** Returns each tag once: a comma ends a tag, also in pasted text. */
export function tagsIn(typed: readonly string[]): string[] {
  const tags = typed.flatMap((words) => words.split(",")).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}
