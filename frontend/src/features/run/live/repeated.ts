// Pure: a resumed run repeats the operations after its checkpoint; what it measures again replaces the earlier.

export interface Overlap {
  /** The number of known places that stay. */
  kept: number;
  /** The indexes of the fresh places that are appended. */
  added: number[];
}

/** Returns what stays so that the known places and the fresh ones after them rise. */
export function overlap(known: readonly number[], fresh: readonly number[]): Overlap {
  const added: number[] = [];
  let kept = known.length;
  const last = () => {
    const index = added.at(-1);
    return (index === undefined ? known[kept - 1] : fresh[index]) ?? -Infinity;
  };
  fresh.forEach((place, index) => {
    while (last() >= place) {
      if (added.length > 0) added.pop();
      else kept -= 1;
    }
    added.push(index);
  });
  return { kept, added };
}
