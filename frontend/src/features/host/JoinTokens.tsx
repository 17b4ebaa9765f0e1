// The join tokens with their states, and a button that revokes each.
import { Button } from "@mantine/core";
import type { JoinToken } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { StateMark } from "../../shared/ui/StateMark";
import { formatTime } from "../../shared/units";
import classes from "./JoinTokens.module.css";
import { useRevokeJoinToken } from "./queries";

function stateOf(token: JoinToken): string {
  if (token.revoked_at !== null) return "revoked";
  if (token.used_count === token.uses_count) return "used up";
  return token.is_open ? "open" : "expired";
}

function TokenRow({ token }: { token: JoinToken }) {
  const revoke = useRevokeJoinToken();
  const [made, until] = [formatTime(token.created_at), formatTime(token.expires_at)];
  return (
    <li className={classes.row} aria-label={`Join token ${token.id}`}>
      <span>Token {token.id}</span>
      <StateMark tone={token.is_open ? "live" : "stopped"}>{stateOf(token)}</StateMark>
      <span className={classes.quiet}>
        used {token.used_count} of {token.uses_count}, made <span title={made.exact}>{made.text}</span>, until{" "}
        <span title={until.exact}>{until.text}</span>
      </span>
      {token.is_open && (
        <Button
          variant="subtle"
          color="copper"
          loading={revoke.isPending}
          onClick={() => revoke.mutate(token)}
          aria-label={`Revoke join token ${token.id}`}
        >
          Revoke
        </Button>
      )}
      {revoke.isError && <RefusalNotice error={revoke.error} />}
    </li>
  );
}

export function JoinTokens({ tokens }: { tokens: readonly JoinToken[] }) {
  return (
    <ul className="patina-list" aria-label="Join tokens">
      {tokens.map((token) => (
        <TokenRow key={token.id} token={token} />
      ))}
    </ul>
  );
}
