// The names of lines, with their strokes.
import classes from "./LineKey.module.css";
import strokes from "./lines.module.css";

const dashes = ["", "8 3", "2 3", "10 3 2 3", "5 5", "1 4"] as const;

/** Returns the dashes of the line at that place. */
export const dashOf = (index: number): string => dashes[index % dashes.length] ?? "";

export function LineKey({ lines }: { lines: readonly { label: string; isBase: boolean }[] }) {
  return (
    <ul className={classes.key}>
      {lines.map(({ label, isBase }, index) => (
        <li key={label}>
          <svg width="32" height="8" aria-hidden>
            <path className={strokes.line} data-base={isBase} strokeDasharray={dashOf(index)} d="M0 4H32" />
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}
