// A row of named values.
import type { ReactNode } from "react";
import { Label } from "../help/Term";
import classes from "./Figures.module.css";

export interface FigureItem {
  label: string;
  value: ReactNode;
  note?: ReactNode;
}

export function Figures({ items, label }: { items: readonly FigureItem[]; label: string }) {
  return (
    <dl className={classes.figures} aria-label={label}>
      {items.map((item) => (
        <div key={item.label} className={classes.item}>
          <dt>
            <Label>{item.label}</Label>
          </dt>
          <dd>
            {item.value}
            {item.note !== undefined && <span className={classes.note}> {item.note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
