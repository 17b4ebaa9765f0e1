// The three histograms side by side, with the tools for all of them.
import { ActionIcon, SegmentedControl, Tooltip } from "@mantine/core";
import { IconArrowBackUp, IconArrowForwardUp } from "@tabler/icons-react";
import { memo, useEffect, useState, type ReactNode } from "react";
import type { HistogramName } from "../../../api/client";
import type { BinMarks, Overlay } from "./bars/Bars";
import { histogramNames } from "./draft/bin";
import { HistogramEditor } from "./HistogramEditor";
import classes from "./ProfileEditor.module.css";
import { useDraft, useIsChanged, useIsKept, type DraftStore } from "./draft/store";
import type { WeightUnit } from "./table/weightUnit";

export type EditorMarks = Readonly<Record<HistogramName, BinMarks>>;

interface Props {
  store: DraftStore;
  marks: EditorMarks;
  overlay: { histogram: HistogramName; weights: Overlay } | null;
  /** Buttons for other sources of histograms. */
  sources: ReactNode;
  /** The open source, shown with the bars. */
  below: ReactNode;
}

/** Reports whether the target is a field, where the browser's own undo applies. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, [role=dialog]") !== null;
}

function useUndoKeys(store: DraftStore) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const isRedo = key === "y" || (key === "z" && event.shiftKey);
      if (!isRedo && key !== "z") return;
      event.preventDefault();
      store.dispatch({ type: isRedo ? "redo" : "undo" });
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [store]);
}

function UndoButtons({ store }: { store: DraftStore }) {
  const undone = useDraft(store, ({ past }) => past.at(-1)?.title ?? null);
  const redone = useDraft(store, ({ future }) => future.at(-1)?.title ?? null);
  const steps = [
    { type: "undo", title: "Undo", of: undone, Icon: IconArrowBackUp },
    { type: "redo", title: "Redo", of: redone, Icon: IconArrowForwardUp },
  ] as const;
  return (
    <span className={classes.undo}>
      {steps.map(({ type, title, of, Icon }) => (
        <Tooltip key={type} label={of === null ? `Nothing to ${type}` : `${title} ${of}`}>
          <ActionIcon
            variant="default"
            size={30}
            aria-label={of === null ? title : `${title} ${of}`}
            // Not `disabled`: the button keeps the focus after its last step.
            aria-disabled={of === null}
            data-disabled={of === null}
            onClick={() => store.dispatch({ type })}
          >
            <Icon size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </span>
  );
}

function DraftState({ store }: { store: DraftStore }) {
  const isChanged = useIsChanged(store);
  const isKept = useIsKept(store);
  const line = store.base === null ? "" : `. The line is version ${store.base.number}`;
  if (!isChanged) return <span className={classes.state}>No changes yet</span>;
  return (
    <span className={classes.state} role="status">
      {isKept
        ? `Unsaved changes, kept in this browser${line}`
        : "Unsaved changes. This browser cannot store them: save before you leave"}
    </span>
  );
}

function ProfileEditorNow({ store, marks, overlay, sources, below }: Props) {
  const [unit, setUnit] = useState<WeightUnit>("percent");
  useUndoKeys(store);
  return (
    <section aria-label="Histograms">
      <div className={classes.bar}>
        <UndoButtons store={store} />
        <SegmentedControl
          aria-label="Show weights as"
          size="xs"
          value={unit}
          onChange={(value) => setUnit(value === "count" ? "count" : "percent")}
          data={[
            { value: "percent", label: "Percent" },
            { value: "count", label: "Counts" },
          ]}
        />
        {sources}
        <DraftState store={store} />
      </div>
      {below}
      <p className={classes.hint}>
        Drag a bar, or choose one: arrows change it, shift coarsely; a number opens a field; Delete removes.
        Shift+click or Shift+arrow chooses several.
      </p>
      <div className={classes.charts}>
        {histogramNames.map((histogram) => (
          <HistogramEditor
            key={histogram}
            store={store}
            histogram={histogram}
            unit={unit}
            marks={marks[histogram]}
            overlay={overlay?.histogram === histogram ? overlay.weights : null}
          />
        ))}
      </div>
    </section>
  );
}

/** Does not render again for a forecast that arrives during a drag. */
export const ProfileEditor = memo(ProfileEditorNow);
