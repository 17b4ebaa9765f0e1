// A term of the field, with its meaning at hand: by the mouse, the keyboard, or a finger.
import { Button, Popover } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  Fragment,
  useCallback,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from "react";
import { glossaryQuery } from "./glossary";
import { termOf } from "./labels";
import classes from "./Term.module.css";

const OPEN_MS = 300;
/** The time to move the pointer from the term to its meaning. */
const CLOSE_MS = 200;

/** Of an element whose Escape key closes the meaning: a dialog around it then stays open. */
const OWN_ESCAPE = { "data-mantine-stop-propagation": true };

/** Returns a sentence of the glossary with its italics and names. */
function Sentence({ text }: { text: string }) {
  return text.split(/(\*[^*]+\*|`[^`]+`)/).map((part, index) => {
    if (part.startsWith("*")) return <em key={index}>{part.slice(1, -1)}</em>;
    if (part.startsWith("`")) return <code key={index}>{part.slice(1, -1)}</code>;
    return <Fragment key={index}>{part}</Fragment>;
  });
}

/** `isInDialog`: the link then opens a new tab, since the dialog and what was typed there would be lost. */
function Meaning({ of, isInDialog }: { of: string; isInDialog: boolean }) {
  const glossary = useQuery(glossaryQuery);
  const entry = glossary.data?.find(({ slug }) => slug === of);
  if (glossary.isError)
    return (
      <div role="alert">
        <p>The glossary did not arrive.</p>
        <Button variant="default" size="compact-sm" mt="xs" onClick={() => void glossary.refetch()}>
          Try again
        </Button>
      </div>
    );
  return (
    <>
      {/* A line is kept until the text is here. */}
      <p className={classes.meaning}>{entry !== undefined && <Sentence text={entry.meaning} />}</p>
      <Link
        to="/help/$"
        params={{ _splat: "glossary" }}
        hash={of}
        className="patina-link"
        {...(isInDialog && { target: "_blank" })}
        {...OWN_ESCAPE}
      >
        {isInDialog ? "In the glossary, in a new tab" : "In the glossary"}
      </Link>
    </>
  );
}

/** Opens after a moment under the mouse, and at once by a click, which keeps it open. */
function useOpening() {
  const [opened, setOpened] = useState<"no" | "under mouse" | "kept">("no");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const soon = (change: () => void, pause_ms: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(change, pause_ms);
  };
  const byMouse = (event: PointerEvent) => event.pointerType === "mouse";
  return {
    isOpen: opened !== "no",
    close: () => setOpened("no"),
    toggle: () => setOpened((now) => (now === "kept" ? "no" : "kept")),
    mouse: {
      onPointerEnter: (event: PointerEvent) =>
        byMouse(event) && soon(() => setOpened((now) => (now === "no" ? "under mouse" : now)), OPEN_MS),
      onPointerLeave: (event: PointerEvent) =>
        byMouse(event) && soon(() => setOpened((now) => (now === "under mouse" ? "no" : now)), CLOSE_MS),
    },
  };
}

/** `of` is the anchor of the term in the glossary. */
export function Term({ of, children }: { of: string; children: ReactNode }) {
  const { isOpen, close, toggle, mouse } = useOpening();
  const [isInDialog, setInDialog] = useState(false);
  const look = useCallback(
    (around: HTMLElement | null) => setInDialog(around?.closest('[aria-modal="true"]') != null),
    [],
  );
  const closeByEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    close();
  };
  return (
    <span ref={look} className={classes.around} {...mouse} onKeyDownCapture={closeByEscape}>
      <Popover
        opened={isOpen}
        onDismiss={close}
        width={300}
        // Not over the number that a label is above.
        position="top-start"
        // Beside the term in the order of the Tab key.
        withinPortal={false}
        transitionProps={{ duration: 0 }}
      >
        <Popover.Target>
          <button type="button" className={classes.term} onClick={toggle} {...(isOpen && OWN_ESCAPE)}>
            {children}
          </button>
        </Popover.Target>
        <Popover.Dropdown className={classes.card ?? ""}>
          {isOpen && <Meaning of={of} isInDialog={isInDialog} />}
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}

/** A label, as a term where the glossary has one for it. */
export function Label({ children }: { children: string }) {
  const of = termOf(children);
  return of === null ? children : <Term of={of}>{children}</Term>;
}
