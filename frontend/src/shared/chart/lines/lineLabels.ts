// Pure: keeps the labels at the ends of lines from overlapping.

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
