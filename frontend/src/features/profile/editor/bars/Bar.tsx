// One bar: a slider, moved by dragging or by keys.
import { memo, type FocusEvent, type KeyboardEvent, type PointerEvent } from "react";
import { percent } from "../../../../shared/chart/histogram/AxisLabels";
import type { Cell } from "../../../../shared/chart/histogram/axis";
import { PLOT_PX } from "./gesture";
import classes from "./Bars.module.css";

/** The mark of a bin, from the forecast or from its flaw. */
export type Mark = "critical" | "set_aside" | "flawed";

export interface BarHandlers {
  onPointerDown: (event: PointerEvent<SVGElement>, index: number) => void;
  onPointerMove: (event: PointerEvent<SVGElement>) => void;
  onPointerEnd: () => void;
  onKeyDown: (event: KeyboardEvent<SVGElement>, index: number) => void;
  onFocus: (event: FocusEvent<SVGElement>, index: number) => void;
  onOpenField: (index: number) => void;
}

interface Props {
  index: number;
  name: string;
  /** Position on the axis and height, as fractions. */
  left: Cell["left"];
  width: Cell["width"];
  height: number;
  shown: number;
  ceiling: number;
  text: string;
  isSelected: boolean;
  mark: Mark | null;
  note: string | null;
  handlers: BarHandlers;
}

const GAP = 0.12;

function BarNow({ index, left, width, height, text, mark, note, handlers, ...bar }: Props) {
  const height_px = Math.min(PLOT_PX, Math.max(0, height * PLOT_PX));
  const y = PLOT_PX - height_px;
  const inner = { x: percent(left + (width * GAP) / 2), width: percent(width * (1 - GAP)) };
  return (
    <g
      role="slider"
      tabIndex={0}
      className={classes.bar}
      data-index={index}
      data-selected={bar.isSelected || undefined}
      data-mark={mark ?? undefined}
      aria-label={bar.name}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={Math.max(bar.ceiling, bar.shown)}
      aria-valuenow={bar.shown}
      aria-valuetext={note === null ? text : `${text}, ${note}`}
      onPointerDown={(event) => handlers.onPointerDown(event, index)}
      onPointerMove={handlers.onPointerMove}
      onPointerUp={handlers.onPointerEnd}
      onPointerCancel={handlers.onPointerEnd}
      onDoubleClick={() => handlers.onOpenField(index)}
      onKeyDown={(event) => handlers.onKeyDown(event, index)}
      onFocus={(event) => handlers.onFocus(event, index)}
    >
      <rect className={classes.column} x={percent(left)} y={0} width={percent(width)} height={PLOT_PX} />
      <rect className={classes.fill} {...inner} y={y} height={height_px} />
      <rect className={classes.handle} {...inner} y={Math.min(PLOT_PX - 3, y)} height={3} />
    </g>
  );
}

export const Bar = memo(BarNow);
