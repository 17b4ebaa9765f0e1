// Pure: keeps the labels at the ends of lines from overlapping.

/**
 * Returns a position for each label, at most `reach` from its line; null where it has no room there: the key names that
 * line. The labels furthest from their lines are left out first.
 */
export function nearby(
  wishes: readonly number[],
  reach: number,
  { gap, low, high }: { gap: number; low: number; high: number },
): (number | null)[] {
  let kept = wishes.map((_, index) => index);
  for (;;) {
    const own = kept.map((index) => wishes[index] ?? low);
    const placed = spread(own, gap, low, high);
    const distances = placed.map((at, rank) => Math.abs(at - (own[rank] ?? at)));
    const furthest = Math.max(0, ...distances);
    if (furthest <= reach) {
      const result: (number | null)[] = wishes.map(() => null);
      kept.forEach((index, rank) => (result[index] = placed[rank] ?? null));
      return result;
    }
    const leaving = distances.lastIndexOf(furthest);
    kept = kept.filter((_, rank) => rank !== leaving);
  }
}

/** Returns positions at least `gap` apart, in the order of the wished positions, inside [low, high] where they fit. */
export function spread(wishes: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wishes.map((wish, index) => ({ wish, index })).sort((a, b) => a.wish - b.wish);
  const placed: number[] = [];
  let floor = low;
  for (const { wish } of order) {
    const at = Math.max(wish, floor);
    placed.push(at);
    floor = at + gap;
  }
  let ceiling = high;
  for (let index = placed.length - 1; index >= 0; index -= 1) {
    const at = Math.max(low, Math.min(placed[index] ?? low, ceiling));
    placed[index] = at;
    ceiling = at - gap;
  }
  const result = wishes.map(() => 0);
  order.forEach(({ index }, rank) => (result[index] = placed[rank] ?? low));
  return result;
}
