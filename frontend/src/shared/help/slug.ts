// The anchors of headings and terms.

/** Returns the anchor of a text, as GitHub makes it of a heading. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}
