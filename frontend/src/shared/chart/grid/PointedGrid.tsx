// A grid of cells on a canvas; the pointer or the arrow keys select one.
import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from "react";
import { afterArrow, cellAt, type Cell, type Grid } from "./pointedCell";
import classes from "./PointedGrid.module.css";

interface Props extends Grid {
  /** Canvas pixels per cell; the page stretches the canvas. */
  resolution: number;
  draw: (context: CanvasRenderingContext2D, style: CSSStyleDeclaration) => void;
  label: string;
  className: string | undefined;
  pointed: Cell | null;
  onPoint: (cell: Cell | null) => void;
}

export function PointedGrid({ columns, rows, resolution, draw, label, className, pointed, onPoint }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme();
  const [width, height] = [columns * resolution, rows * resolution];
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (canvas.current == null || context == null) return;
    context.clearRect(0, 0, width, height);
    draw(context, getComputedStyle(canvas.current));
  }, [draw, scheme, width, height]);
  const onPointerMove = ({ currentTarget, clientX, clientY }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect();
    const [x, y] = [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
    onPoint(cellAt(x, y, { columns, rows }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const cell = afterArrow(event.key, pointed, { columns, rows });
    if (cell === undefined) return;
    event.preventDefault();
    onPoint(cell);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a picture whose cells are read one by one
    <div
      className={`${classes.grid} ${className ?? ""}`}
      role="img"
      aria-label={label}
      aria-keyshortcuts="ArrowLeft ArrowRight ArrowUp ArrowDown Escape"
      tabIndex={0}
      onPointerMove={onPointerMove}
      onPointerLeave={() => onPoint(null)}
      onBlur={() => onPoint(null)}
      onKeyDown={onKeyDown}
    >
      <canvas ref={canvas} width={Math.max(1, width)} height={Math.max(1, height)} />
      {pointed !== null && (
        <span
          className={classes.pointed}
          style={{
            left: `${(pointed.column / columns) * 100}%`,
            top: `${(pointed.row / rows) * 100}%`,
            width: `${100 / columns}%`,
            height: `${100 / rows}%`,
          }}
        />
      )}
    </div>
  );
}
