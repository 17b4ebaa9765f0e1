// The accounts of the server: role, state, and a link for a lost password.
import { Button, Select } from "@mantine/core";
import { useState } from "react";
import type { Account, AccountItem } from "../../api/client";
import { Dialog } from "../../shared/ui/Dialog";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { formatTime } from "../../shared/units";
import { OneSecret } from "./OneSecret";
import { useChangeAccount, useEntryLink } from "./queries";
import { roles } from "./roles";
import classes from "./Rows.module.css";

const roleTitles = roles.map(({ role, title }) => ({ value: role, label: title }));

interface Row {
  account: AccountItem;
  isMe: boolean;
  /** The name of the provider that signs in as well. */
  provider: string | null;
}

function Facts({ account, isMe, provider }: Row) {
  const made = formatTime(account.created_at);
  return (
    <span className={classes.quiet}>
      {isMe && "you, "}
      {account.closed_at !== null && "closed, "}
      {account.identity != null && `${provider}: ${account.identity.title}, `}made{" "}
      <span title={made.exact}>{made.text}</span>
    </span>
  );
}

function AccountRow({ account, isMe, provider }: Row) {
  const change = useChangeAccount(account);
  const enter = useEntryLink(account);
  const [url, setUrl] = useState<string | null>(null);
  const isClosed = account.closed_at !== null;
  return (
    <li className={classes.row} aria-label={account.name}>
      <span className={classes.name}>{account.name}</span>
      <Select
        aria-label={`Role of ${account.name}`}
        data={roleTitles}
        value={account.role}
        onChange={(role) => role !== null && role !== account.role && change.mutate({ role })}
        allowDeselect={false}
        disabled={isClosed || change.isPending}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      <Facts account={account} isMe={isMe} provider={provider} />
      <span className={classes.actions}>
        {!isClosed && (
          <Button
            variant="subtle"
            loading={enter.isPending}
            onClick={() => enter.mutate(undefined, { onSuccess: (link) => setUrl(link.url) })}
            aria-label={`Make a sign-in link for ${account.name}`}
          >
            Sign-in link
          </Button>
        )}
        <Button
          variant="subtle"
          color={isClosed ? "gray" : "copper"}
          loading={change.isPending}
          onClick={() => change.mutate({ is_closed: !isClosed })}
          aria-label={`${isClosed ? "Open" : "Close"} the account ${account.name}`}
        >
          {isClosed ? "Open" : "Close"}
        </Button>
      </span>
      {change.isError && <RefusalNotice error={change.error} />}
      {enter.isError && <RefusalNotice error={enter.error} />}
      {url !== null && (
        <Dialog
          onClose={() => setUrl(null)}
          title={`Sign-in link for ${account.name}`}
          closeOnClickOutside={false}
        >
          <OneSecret secret={url} what="the link" onClose={() => setUrl(null)}>
            It signs in as {account.name} once, within a day, and can set a new password. It is shown only
            once.
          </OneSecret>
        </Dialog>
      )}
    </li>
  );
}

export function AccountRows({
  accounts,
  me,
  provider,
}: {
  accounts: readonly AccountItem[];
  me: Account;
  provider: string | null;
}) {
  return (
    <ul className="patina-list" aria-label="Accounts">
      {accounts.map((account) => (
        <AccountRow key={account.id} account={account} isMe={account.id === me.id} provider={provider} />
      ))}
    </ul>
  );
}
