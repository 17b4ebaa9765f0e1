// The editor of one histogram: its bars, the chosen bins, the same numbers as a table, and its flaws.
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconTable } from "@tabler/icons-react";
import { memo, useDeferredValue, useId, useMemo, useState, type ReactNode } from "react";
import type { HistogramName } from "../../../api/client";
import { Term } from "../../../shared/help/Term";
import { Bars, nameOfBin, rangeOfBin, type BinMarks, type Overlay } from "./bars/Bars";
import barClasses from "./bars/Bars.module.css";
import { totalOf, type EditedBins } from "./draft/bin";
import { BinTable } from "./table/BinTable";
import { FlawList } from "./FlawList";
import { flawsOf } from "./draft/flaw";
import { outlineOf } from "./draft/outline";
import classes from "./HistogramEditor.module.css";
import { clamped, type Selection } from "./bars/selection";
import { SelectionTools } from "./bars/SelectionTools";
import { useBins, type DraftStore } from "./draft/store";
import { useBarEditing } from "./bars/useBarEditing";
import { ValueField } from "./table/ValueField";
import { formatWeight, shownOf, topOf, type WeightUnit } from "./table/weightUnit";

const words: Record<HistogramName, { title: string; unit: ReactNode }> = {
  size: { title: "Size", unit: "files, by file size" },
  depth: { title: "Depth", unit: "files, by directory depth" },
  age: {
    title: "Age",
    unit: (
      <>
        files, by <Term of="age-of-a-file">relative age</Term>
      </>
    ),
  },
};

interface Props {
  store: DraftStore;
  histogram: HistogramName;
  unit: WeightUnit;
  marks: BinMarks;
  overlay: Overlay | null;
}

function highestOf(bins: EditedBins, unit: WeightUnit, overlay: Overlay | null): number {
  const total = totalOf(bins);
  const weights = [...bins.map(({ weight }) => weight), ...(overlay ?? [])];
  return weights.reduce((most, weight) => Math.max(most, shownOf(weight, total, unit)), 0);
}

/** `selection` is null while a field lies over its place. */
function Reading({
  bins,
  unit,
  histogram,
  selection,
}: Omit<Props, "store" | "marks" | "overlay"> & {
  bins: EditedBins;
  selection: Selection | null;
}) {
  const bin = selection === null ? undefined : bins[selection.focus];
  if (bin === undefined) return null;
  return (
    <span className={barClasses.reading} aria-hidden>
      {rangeOfBin(histogram, bin.edge)}: {formatWeight(bin.weight, totalOf(bins), unit)}
    </span>
  );
}

function HistogramEditorNow({ store, histogram, unit, marks, overlay }: Props) {
  const id = useId();
  const bins = useBins(store, histogram);
  const settled = useDeferredValue(bins);
  const [hasTable, setTable] = useState(false);
  const highest = useMemo(() => highestOf(bins, unit, overlay), [bins, unit, overlay]);
  const editing = useBarEditing({ store, histogram, unit, ceiling: topOf(highest, unit) });
  const ceiling = editing.held ?? topOf(highest, unit);
  const flaws = flawsOf(histogram, bins);
  const selection = clamped(editing.selection, bins.length);
  const { field } = editing;
  const { title, unit: axisUnit } = words[histogram];
  return (
    <figure className={classes.figure} aria-labelledby={id}>
      <figcaption className={classes.caption}>
        <span>
          <strong id={id}>{title}</strong> <span className={classes.unit}>{axisUnit}</span>
        </span>
        <Tooltip label={hasTable ? "Hide the table" : "View as table"}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={28}
            aria-expanded={hasTable}
            aria-label={`${title}: ${hasTable ? "hide the table" : "view as table"}`}
            onClick={() => setTable(!hasTable)}
          >
            <IconTable size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </figcaption>
      <div className={barClasses.area}>
        <span className={barClasses.ceiling} aria-hidden>
          {unit === "count" ? formatWeight(ceiling, 1, "count") : formatWeight(ceiling, 100, "percent")}
        </span>
        <Reading {...{ bins, unit, histogram }} selection={field === null ? selection : null} />
        <Bars
          {...{ histogram, bins, unit, ceiling, selection, marks, flaws, overlay }}
          handlers={editing.handlers}
          frame={editing.frame}
        />
        {field !== null && (
          <ValueField
            key={field.index}
            label={`${unit === "count" ? "Files" : "Percent"}, ${nameOfBin(histogram, bins[field.index]?.edge ?? 0)}`}
            text={field.text}
            at={(field.index + 0.5) / bins.length}
            onTake={editing.takeField}
            onLeave={editing.leaveField}
          />
        )}
      </div>
      <div>
        <FlawList flaws={flaws} onGo={(index) => editing.go(index, false)} />
        <SelectionTools
          {...{ histogram, unit, selection }}
          bins={settled}
          onEdit={editing.edit}
          onChoose={editing.setSelection}
        />
      </div>
      <div className={classes.foot}>
        <p className={classes.said} role="status">
          {editing.said}
        </p>
        {hasTable && <BinTable {...{ store, histogram, unit, flaws }} bins={settled} />}
      </div>
    </figure>
  );
}

/** While nothing else is drawn over the bars, the saved version is. */
function OverSaved({ overlay, ...props }: Props) {
  const { store, histogram, unit } = props;
  const bins = useBins(store, histogram);
  const outline = useMemo(
    () => (store.base === null ? null : outlineOf(store.saved[histogram], bins, unit)),
    [store, histogram, bins, unit],
  );
  return <HistogramEditorNow {...props} overlay={overlay ?? outline} />;
}

/** Renders again only when its own bins change. */
export const HistogramEditor = memo(OverSaved);
