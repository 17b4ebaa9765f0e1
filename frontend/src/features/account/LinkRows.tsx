// The links that can still be used.
import { Button } from "@mantine/core";
import type { AccountLink } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { formatTime } from "../../shared/units";
import { useRevokeLink } from "./queries";
import classes from "./Rows.module.css";

function LinkRow({ link }: { link: AccountLink }) {
  const revoke = useRevokeLink();
  const until = formatTime(link.expires_at);
  const name = link.account === null ? link.note || "Invitation" : `Sign-in link for ${link.account.name}`;
  return (
    <li className={classes.row} aria-label={name}>
      <span className={classes.name}>{name}</span>
      <span>{link.role}</span>
      <span className={classes.quiet}>
        until <span title={until.exact}>{until.text}</span>
      </span>
      <span className={classes.actions}>
        <Button
          variant="subtle"
          color="copper"
          loading={revoke.isPending}
          onClick={() => revoke.mutate(link.id)}
          aria-label={`Revoke ${name}`}
        >
          Revoke
        </Button>
      </span>
      {revoke.isError && <RefusalNotice error={revoke.error} />}
    </li>
  );
}

export function LinkRows({ links }: { links: readonly AccountLink[] }) {
  return (
    <ul className="patina-list" aria-label="Open links">
      {links.map((link) => (
        <LinkRow key={link.id} link={link} />
      ))}
    </ul>
  );
}
