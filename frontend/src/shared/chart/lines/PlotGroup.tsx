// Plots over one horizontal axis: they share the part in view and the place under the pointer.
import { Button, SegmentedControl } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { createContext, useContext, useMemo, useState, type ReactNode } from "react";
import { amounts } from "./quantities";
import { durations, type Quantity } from "./ticks";
import { plotHelp } from "./hands";
import classes from "./PlotGroup.module.css";
import type { View } from "./view";

/** What a plot of a run is drawn over. */
export type Over = "operations" | "time" | "rounds";

export const quantityOver: Record<Over, Quantity> = {
  operations: amounts,
  time: durations,
  rounds: amounts,
};

interface Group {
  over: Over;
  all: View;
  view: View | null;
  setView: (view: View | null) => void;
}

/** Apart from the group: it changes with each movement of the pointer. */
interface Point {
  /** The place under the pointer, over any plot of the group. */
  at: number | null;
  setAt: (at: number | null) => void;
}

const GroupContext = createContext<Group | null>(null);
const PointContext = createContext<Point>({ at: null, setAt: () => {} });

export function usePlotGroup(): Group {
  const group = useContext(GroupContext);
  if (group === null) throw new Error("a plot belongs to a group");
  return group;
}

export function usePoint(): Point {
  return useContext(PointContext);
}

/** Returns the axis that the user chose for the plots of runs, on every page. */
export function useChosenAxis() {
  const [over, choose] = useLocalStorage<"operations" | "time">({
    key: "patina.plots_over",
    defaultValue: "operations",
    getInitialValueInEffect: false,
  });
  return { over: over === "time" ? ("time" as const) : ("operations" as const), choose };
}

interface Props {
  title: string;
  over: Over;
  /** The whole axis; its ends are infinite where nothing is measured. */
  all: View;
  /** Chooses another axis, where there is one. */
  onChoose?: (over: "operations" | "time") => void;
  aside?: ReactNode;
  children: ReactNode;
}

/** A section of plots, with the tools that concern all of them. */
export function PlotGroup({ title, over, all, onChoose, aside, children }: Props) {
  // A view is a part of one axis: another one begins with all there is.
  const [looked, setLooked] = useState<{ over: Over; view: View } | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const view = looked?.over === over ? looked.view : null;
  const isEmpty = !(all.to >= all.from);
  const from = isEmpty ? 0 : all.from;
  const to = isEmpty ? 0 : all.to;
  const group = useMemo<Group>(
    () => ({
      over,
      all: { from, to },
      view,
      setView: (wanted) => setLooked(wanted === null ? null : { over, view: wanted }),
    }),
    [over, from, to, view],
  );
  const point = useMemo<Point>(() => ({ at, setAt }), [at]);
  return (
    <section aria-label={title}>
      <div className="patina-section">
        <h2>{title}</h2>
        <span className="patina-mouse">{plotHelp}</span>
        {aside}
        <span className={classes.tools}>
          {onChoose !== undefined && (
            <SegmentedControl
              size="xs"
              aria-label="Horizontal axis"
              value={over}
              data={[
                { value: "operations", label: "Operations" },
                { value: "time", label: "Time" },
              ]}
              onChange={(value) => {
                setAt(null);
                onChoose(value === "time" ? "time" : "operations");
              }}
            />
          )}
          <Button
            size="compact-xs"
            variant="default"
            disabled={view === null}
            onClick={() => setLooked(null)}
          >
            Reset zoom
          </Button>
        </span>
      </div>
      <GroupContext value={group}>
        <PointContext value={point}>{children}</PointContext>
      </GroupContext>
    </section>
  );
}
