// What was chosen in a dialog that closed without a start.
import { useState } from "react";

/**
 * Returns the choices and how to change them. `kept` outlives the dialog: the next one with the same key begins with
 * them, until they are forgotten or the page is loaded again. A confirmation is not kept: `renewed` drops it.
 */
export function useKept<Chosen extends object>(
  kept: Map<string, Chosen>,
  key: string,
  usual: () => Chosen,
  renewed: (before: Chosen) => Chosen,
) {
  const [chosen, setChosen] = useState(() => {
    const before = kept.get(key);
    return before === undefined ? usual() : renewed(before);
  });
  const [isKept, setKept] = useState(() => kept.has(key));
  const change = (part: Partial<Chosen>) => {
    const changed = { ...chosen, ...part };
    kept.set(key, changed);
    setChosen(changed);
  };
  const forget = () => void kept.delete(key);
  const startOver = () => {
    forget();
    setChosen(usual());
    setKept(false);
  };
  return { chosen, change, forget, startOver: isKept ? startOver : null };
}
