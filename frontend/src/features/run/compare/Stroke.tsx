// A line in the style of a plot, for a key or a table head.
import type { Mark } from "./marks";

const WIDTH = 32;

export function Stroke({ mark }: { mark: Mark }) {
  return (
    <svg width={WIDTH} height={8} aria-hidden style={{ flex: "none" }}>
      <path
        d={`M0 4H${WIDTH}`}
        fill="none"
        stroke={`var(--patina-${mark.ink})`}
        strokeWidth={mark.width}
        strokeDasharray={mark.dash?.join(" ")}
      />
    </svg>
  );
}
