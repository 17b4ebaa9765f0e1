// A store in React whose changes are rendered in slices: the page answers meanwhile.
import { startTransition, useEffect, useRef, useState } from "react";

interface Store<Snapshot> {
  /** Both keep their identity. A snapshot is a new object whenever it has changed. */
  subscribe: (listener: () => void) => () => void;
  getSnapshot: () => Snapshot;
}

/**
 * Returns the newest snapshot that is rendered. While one is rendered, no newer one is begun: a slow machine shows
 * fewer of them, and each of them whole.
 */
export function useInSlices<Snapshot>({ subscribe, getSnapshot }: Store<Snapshot>): Snapshot {
  const [shown, setShown] = useState(getSnapshot);
  const begun = useRef(shown);
  useEffect(() => {
    const begin = () => {
      const newest = getSnapshot();
      if (begun.current !== shown || newest === shown) return;
      begun.current = newest;
      startTransition(() => setShown(newest));
    };
    begin();
    return subscribe(begin);
  }, [shown, subscribe, getSnapshot]);
  return shown;
}
