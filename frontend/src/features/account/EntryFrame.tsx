// The frame of the pages outside an account: the mark, a title, a form.
import { useEffect, useRef, type ReactNode } from "react";
import { Mark } from "../../shared/ui/Mark";
import { useTabTitle } from "../../shared/ui/useTabTitle";
import classes from "./Entry.module.css";

export function EntryFrame({
  title,
  words,
  children,
}: {
  title: string;
  words?: ReactNode;
  children: ReactNode;
}) {
  useTabTitle(title);
  const frame = useRef<HTMLElement>(null);
  useEffect(() => frame.current?.querySelector("input")?.focus(), []);
  return (
    <main className={classes.entry} ref={frame}>
      <div className={classes.mark}>
        <Mark />
        Patina
      </div>
      <div>
        <h1 className={classes.title}>{title}</h1>
        {words !== undefined && <div className={classes.words}>{words}</div>}
      </div>
      {children}
    </main>
  );
}
