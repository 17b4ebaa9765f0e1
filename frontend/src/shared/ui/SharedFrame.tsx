// The page of a shared link: a header without the navigation, for readers without an account.
import type { ReactNode } from "react";
import { Mark } from "./Mark";
import { PageHeader } from "./PageHeader";
import classes from "./SharedFrame.module.css";

interface Props {
  title: string;
  badge?: ReactNode;
  about?: ReactNode;
  action?: ReactNode;
  accountName: string | null;
  children: ReactNode;
}

export function SharedFrame({ title, badge, about, action, accountName, children }: Props) {
  return (
    <main className={classes.page}>
      <div className={classes.mark}>
        <Mark />
        Patina
      </div>
      <PageHeader title={title} badge={badge} action={action}>
        {about}
        {accountName !== null && `, shared by ${accountName}`}
      </PageHeader>
      <div className="patina-stack">{children}</div>
    </main>
  );
}
