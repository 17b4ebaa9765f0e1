// The head of a page: its only h1, the actions beside it, and the title of the tab.
import type { ReactNode } from "react";
import classes from "./PageHeader.module.css";
import { useTabTitle } from "./useTabTitle";

interface Props {
  title: string;
  tab?: string;
  badge?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  /** Actions that change while the page is read: in a line of their own, where none moves the page. */
  changesActions?: boolean;
}

export function PageHeader({ title, tab, badge, children, action, changesActions = false }: Props) {
  useTabTitle(tab ?? title);
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <div className={classes.title}>
          <h1>{title}</h1>
          {badge}
        </div>
        {children !== undefined && <div className={classes.below}>{children}</div>}
      </div>
      {action !== undefined && (
        <div className={classes.action} data-alone={changesActions || undefined}>
          {action}
        </div>
      )}
    </header>
  );
}
