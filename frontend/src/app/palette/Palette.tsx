// Ctrl-K: goes to anything and starts anything, by what it is called.
import { Modal, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useId, useState, type KeyboardEvent } from "react";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useReturnFocus } from "../../shared/ui/useReturnFocus";
import { sectionsOf, type Entry, type Section } from "./entry";
import classes from "./Palette.module.css";
import { usePlaces } from "./places";
import { useFound } from "./useFound";

const PAUSE_MS = 150;

/** Returns the id of an element of the list: one word, which others can name. */
function elementOf(list: string, name: string): string {
  return `${list}-${name.replaceAll(/\s+/g, "-")}`;
}

interface OptionProps {
  entry: Entry;
  id: string;
  isActive: boolean;
  onPoint: () => void;
  onPick: () => void;
}

function Option({ entry, id, isActive, onPoint, onPick }: OptionProps) {
  return (
    // The field keeps the focus: its keys choose among the options.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="option"
      id={id}
      aria-selected={isActive}
      aria-label={entry.note === undefined ? entry.title : `${entry.title}, ${entry.note}`}
      tabIndex={-1}
      className={classes.option}
      onMouseMove={onPoint}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      <span className={classes.title}>{entry.title}</span>
      {entry.note !== undefined && <span className={classes.note}>{entry.note}</span>}
    </div>
  );
}

interface ListProps {
  id: string;
  sections: readonly Section[];
  active: Entry | undefined;
  onPoint: (entry: Entry) => void;
  onPick: (entry: Entry) => void;
}

function Options({ id, sections, active, onPoint, onPick }: ListProps) {
  return (
    <div role="listbox" id={id} aria-label="Found" className={classes.list}>
      {sections.map(({ group, entries }) => (
        <div key={group} role="group" aria-labelledby={elementOf(id, group)}>
          <div id={elementOf(id, group)} className={classes.group}>
            {group}
          </div>
          {entries.map((entry) => (
            <Option
              key={entry.id}
              entry={entry}
              id={elementOf(id, entry.id)}
              isActive={entry === active}
              onPoint={() => onPoint(entry)}
              onPick={() => onPick(entry)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface FieldProps {
  typed: string;
  list: string;
  activeId: string | undefined;
  onType: (typed: string) => void;
  onPress: (event: KeyboardEvent) => void;
}

function Field({ typed, list, activeId, onType, onPress }: FieldProps) {
  return (
    <TextInput
      className={classes.field ?? ""}
      variant="unstyled"
      size="md"
      aria-label="Go to"
      placeholder="A page, a device, an image, a term, or something to do"
      leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
      value={typed}
      onChange={(event) => onType(event.currentTarget.value)}
      onKeyDown={onPress}
      role="combobox"
      aria-expanded
      aria-controls={list}
      aria-activedescendant={activeId}
      aria-autocomplete="list"
      autoComplete="off"
      spellCheck={false}
      data-autofocus
      // Escape closes the palette alone, not a dialog below it.
      data-mantine-stop-propagation
    />
  );
}

interface FootProps {
  typed: string;
  isPending: boolean;
  isEmpty: boolean;
  failed: ReturnType<typeof useFound>["failed"];
}

function wordsOf({ typed, isPending, isEmpty }: FootProps): string {
  if (isPending) return "Searching…";
  if (!isEmpty) return "Up and down choose, Enter opens, Esc closes.";
  return `Nothing is called “${typed.trim()}”. Type a name, a number, a tag, or a term of the glossary.`;
}

function Foot(props: FootProps) {
  const { failed } = props;
  if (failed === null)
    return (
      <div className={classes.foot} role="status">
        {wordsOf(props)}
      </div>
    );
  return (
    <div className={classes.failed}>
      <RefusalNotice error={failed.error} onRetry={() => void failed.refetch()} />
    </div>
  );
}

/** Returns the entry that an arrow key leads to, around the ends. */
function after(entries: readonly Entry[], active: Entry | undefined, step: 1 | -1): string | null {
  const place = active === undefined ? -1 : entries.indexOf(active);
  return entries[(place + step + entries.length) % entries.length]?.id ?? null;
}

/** What was typed, what it found, and the chosen one of that: the first until an arrow key or the mouse chooses. */
function useChoice() {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [soon] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const places = usePlaces();
  const found = useFound(soon);
  const isPending = found.isPending || soon !== typed.trim();
  const sections = sectionsOf([...places, ...(typed.trim() === "" ? [] : found.entries)], typed);
  const entries = sections.flatMap((section) => section.entries);
  const active = entries.find(({ id }) => id === chosen) ?? entries[0];
  const type = (text: string) => {
    setTyped(text);
    setChosen(null);
  };
  return { typed, type, setChosen, sections, entries, active, isPending, failed: found.failed };
}

function Content({ onClose }: { onClose: () => void }) {
  useReturnFocus();
  const { typed, type, setChosen, sections, entries, active, isPending, failed } = useChoice();
  const list = useId();
  const activeId = active === undefined ? undefined : elementOf(list, active.id);
  const pick = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    if (entry.types === undefined) {
      onClose();
      entry.go();
    } else type(entry.types);
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") pick(active);
    else if (event.key === "Escape") onClose();
    else if (event.key === "ArrowDown") setChosen(after(entries, active, 1));
    else if (event.key === "ArrowUp") setChosen(after(entries, active, -1));
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);
  return (
    <>
      <Field typed={typed} list={list} activeId={activeId} onType={type} onPress={press} />
      <Options
        id={list}
        sections={sections}
        active={active}
        onPoint={({ id }) => setChosen(id)}
        onPick={pick}
      />
      <Foot typed={typed} isPending={isPending} isEmpty={entries.length === 0} failed={failed} />
    </>
  );
}

export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      attributes={{ content: { "aria-label": "Go to anything" } }}
      size={600}
      padding={0}
      centered={false}
      yOffset="8dvh"
      zIndex={300}
      transitionProps={{ duration: 0 }}
    >
      <Content onClose={onClose} />
    </Modal>
  );
}
