// Creates a profile from a plain start, to be dragged, pasted over, read from a file or scanned.
import { useState } from "react";
import { histogramsOf, type HistogramsContent } from "../../features/profile/editor/draft/bin";
import { makeDraftStore, useIsChanged } from "../../features/profile/editor/draft/store";
import { nothingYet } from "../../features/profile/saving/AboutFields";
import { Editing } from "./Editing";

const range = (length: number) => Array.from({ length }, (_, index) => index);

/** Returns histograms of equal bins, which cannot be taken for a measurement. */
function plainStart(): HistogramsContent {
  return {
    size: range(11).map((step) => ({ bytes: 512 * 4 ** step, weight: 1 })),
    depth: range(8).map((depth) => ({ depth, weight: 1, subdirs: 2 ** Math.min(depth, 4) })),
    age: range(8).map((step) => ({ age: 10 * 4 ** step, weight: 1 })),
  };
}

export function NewPage() {
  const [store] = useState(() => makeDraftStore(null, histogramsOf(plainStart())));
  const isChanged = useIsChanged(store);
  return (
    <Editing
      store={store}
      title="New profile"
      words={
        isChanged
          ? "Check the histograms and their forecast, then save the profile."
          : "All bins start with the same weight. Drag the bars, or read a table, a file or a directory."
      }
      profile={null}
      parent={null}
      about={nothingYet}
      onTakeTheirs={() => undefined}
    />
  );
}
