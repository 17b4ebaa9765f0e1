// What a page shows while its content is fetched: thin lines where text will be, in its room. Nothing for the first
// moment, in which most answers arrive.
import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./shapes.module.css";

function times(count: number, each: (index: number) => ReactNode): ReactNode[] {
  return Array.from({ length: count }, (_, index) => each(index));
}

const Line = ({ width }: { width: string }) => <Skeleton height={10} width={width} />;

/** Hides what it holds for a moment. */
export function Soon({ children }: { children: ReactNode }) {
  return <div className={classes.soon}>{children}</div>;
}

/** Paragraphs. */
export function TextLines({ count = 6 }: { count?: number }) {
  return (
    <div className={classes.text}>
      {times(count, (index) => (
        <Line key={index} width={index % 3 === 2 ? "50%" : "80%"} />
      ))}
    </div>
  );
}

/** Rows of a list: a name, and a figure at the end. */
export function Rows({ count = 5, height = 56 }: { count?: number; height?: number }) {
  return times(count, (index) => (
    <div key={index} className={classes.row} style={{ height }}>
      <Line width="32%" />
      <Line width="12%" />
    </div>
  ));
}

/** Cards beside each other. */
export function Cards({ count = 3, height }: { count?: number; height: number }) {
  return (
    <div className="patina-cards">
      {times(count, (index) => (
        <div key={index} className={classes.card} style={{ height }}>
          <TextLines count={3} />
        </div>
      ))}
    </div>
  );
}

/** Figures: a label, and its value below. */
export function FigureLines({ count = 6 }: { count?: number }) {
  return (
    <div className={classes.figures}>
      {times(count, (index) => (
        <div key={index} className={classes.text}>
          <Line width="60%" />
          <Line width="40%" />
        </div>
      ))}
    </div>
  );
}

/** A plot: its title, and its axes. */
export function Plot({ height = 250 }: { height?: number }) {
  return (
    <div className={classes.plot} style={{ height }}>
      <Line width="30%" />
    </div>
  );
}

/** Plots beside each other. */
export function Plots({ count = 3, height = 250 }: { count?: number; height?: number }) {
  return (
    <div className="patina-charts">
      {times(count, (index) => (
        <Plot key={index} height={height} />
      ))}
    </div>
  );
}

/** The fields of a form: a label, and a box below. */
export function Fields({ count = 4 }: { count?: number }) {
  return times(count, (index) => (
    <div key={index} className={classes.field}>
      <Line width="20%" />
      <div className={classes.box} />
    </div>
  ));
}
