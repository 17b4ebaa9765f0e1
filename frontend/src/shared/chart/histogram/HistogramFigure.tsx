// A histogram in its frame: RMSE beside the title, the same bins as a table.
import { Term } from "../../help/Term";
import { formatEdge, formatFraction, fraction } from "../../units";
import { Figure, type ChartTable } from "../Figure";
import { HistogramPlot } from "./HistogramPlot";
import { ceilingOf, type Axis, type Bin, type WindowState } from "./histogram";
import { savedHistogram } from "./saveHistogram";

const words: Record<Axis, { title: string; unit: string; edge: string }> = {
  size: { title: "Size", unit: "share of files, by file size", edge: "File size" },
  depth: { title: "Depth", unit: "share of files, by directory depth", edge: "Depth" },
  age: { title: "Age", unit: "share of files, by relative age", edge: "Younger than" },
  free_extents: { title: "Free extents", unit: "share of free space, by extent size", edge: "From" },
};

function tableOf(axis: Axis, bins: readonly Bin[], windows: readonly WindowState[] = []): ChartTable {
  const hasWindows = windows.length > 0;
  const hasTarget = bins.some((bin) => bin.target_fraction !== null);
  const hasObserved = bins.some((bin) => bin.observed_fraction !== null);
  const percent = (value: number | null) => (value === null ? "–" : formatFraction(fraction(value)).text);
  return {
    columns: [
      words[axis].edge,
      ...(hasTarget ? ["Target"] : []),
      ...(hasObserved ? ["Observed"] : []),
      ...(hasWindows ? ["Window"] : []),
    ],
    rows: bins.map((bin, index) => [
      formatEdge(axis, bin.edge),
      ...(hasTarget ? [percent(bin.target_fraction)] : []),
      ...(hasObserved ? [percent(bin.observed_fraction)] : []),
      ...(hasWindows ? [windows[index] ?? ""] : []),
    ]),
  };
}

interface Props {
  axis: Axis;
  bins: readonly Bin[];
  /** Null: it comes later, and its line is kept free. */
  accuracy?: { rmse: number; rmse_floor: number } | null;
  ticks?: number;
  /** The owner, where several histograms are side by side. */
  of?: string;
  /** The top of the value axis, where several histograms share one. */
  ceiling?: number;
  /** The windows of an age histogram during aging, in the order of the bins. */
  windows?: readonly WindowState[] | undefined;
}

export function HistogramFigure({ axis, bins, accuracy, ticks = 6, of, ceiling, windows }: Props) {
  const percent = (value: number) => formatFraction(fraction(value));
  const aside = accuracy && (
    <span title={`RMSE ${percent(accuracy.rmse).exact}, best possible ${percent(accuracy.rmse_floor).exact}`}>
      <Term of="rmse">RMSE</Term> {percent(accuracy.rmse).text}, <Term of="integer-floor">best possible</Term>{" "}
      {percent(accuracy.rmse_floor).text}
    </span>
  );
  const { unit } = words[axis];
  const title = of === undefined ? words[axis].title : `${words[axis].title}, ${of}`;
  return (
    <Figure
      title={title}
      unit={unit}
      saved={savedHistogram({ title, axis, unit, bins, ceiling: ceiling ?? ceilingOf(bins) })}
      aside={aside}
      table={() => tableOf(axis, bins, windows)}
    >
      <HistogramPlot
        axis={axis}
        bins={bins}
        ticks={ticks}
        windows={windows}
        {...(ceiling !== undefined && { ceiling })}
      />
    </Figure>
  );
}

/** The key of the marks, once for a group of histograms. */
export function TargetObservedKey({ observed = true }: { observed?: boolean }) {
  return (
    <span aria-hidden style={{ display: "inline-flex", gap: 16, fontSize: 13, color: "var(--patina-quiet)" }}>
      <span style={{ display: "inline-flex", gap: 6, alignItems: "center" }}>
        <span style={{ width: 16, height: 2, background: "var(--patina-target)" }} /> target
      </span>
      {observed && (
        <span style={{ display: "inline-flex", gap: 6, alignItems: "center" }}>
          <span style={{ width: 10, height: 12, background: "var(--patina-observed)" }} /> observed
        </span>
      )}
    </span>
  );
}
