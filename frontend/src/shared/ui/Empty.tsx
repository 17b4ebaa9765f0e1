// The content of an empty page: describes the missing content and offers the next step.
import type { ReactNode } from "react";
import classes from "./Empty.module.css";

export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <section className={classes.empty} aria-label={title}>
      <svg viewBox="0 0 96 40" className={classes.drawing} aria-hidden>
        <path d="M0 39.5h96" className={classes.ground} />
        <path
          d="M4 39V30h12v9zM20 39V22h12v17zM36 39V10h12v29zM52 39V16h12v23zM68 39V27h12v12z"
          className={classes.bars}
        />
        <path d="M2 30h16v-9h16V8h16v7h16v11h16v8h14" className={classes.target} />
      </svg>
      <h2>{title}</h2>
      <div className={classes.words}>{children}</div>
      {action}
    </section>
  );
}
