// The sessions and access tokens of the own account, each with a button that ends it.
import { Button } from "@mantine/core";
import type { Credential } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { StateMark } from "../../shared/ui/StateMark";
import { formatTime } from "../../shared/units";
import { useRevokeCredential } from "./queries";
import classes from "./Rows.module.css";

/** Returns the browser and the system that a session's title names. */
function nameOf({ kind, title }: Credential): string {
  if (kind === "token") return title;
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(title)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(title)?.[1];
  const named = browser === "Edg" ? "Edge" : browser === "OPR" ? "Opera" : browser;
  return named === undefined ? title || "A browser" : `${named} on ${system ?? "an unknown system"}`;
}

function CredentialRow({ credential }: { credential: Credential }) {
  const revoke = useRevokeCredential();
  const name = nameOf(credential);
  const until = formatTime(credential.expires_at);
  const seen = credential.seen_at === null ? null : formatTime(credential.seen_at);
  return (
    <li className={classes.row} aria-label={name}>
      <span className={classes.name} title={credential.title}>
        {name}
      </span>
      <StateMark tone={credential.is_current ? "live" : "stopped"}>
        {credential.is_current ? "this browser" : credential.kind}
      </StateMark>
      <span className={classes.quiet}>
        {credential.role},{" "}
        {seen === null ? (
          "never used"
        ) : (
          <>
            last used <span title={seen.exact}>{seen.text}</span>
          </>
        )}
        , until <span title={until.exact}>{until.text}</span>
      </span>
      <span className={classes.actions}>
        {!credential.is_current && (
          <Button
            variant="subtle"
            color="copper"
            loading={revoke.isPending}
            onClick={() => revoke.mutate(credential.id)}
            aria-label={`${credential.kind === "token" ? "Revoke" : "End"} ${name}`}
          >
            {credential.kind === "token" ? "Revoke" : "End"}
          </Button>
        )}
      </span>
      {revoke.isError && <RefusalNotice error={revoke.error} />}
    </li>
  );
}

export function Credentials({ credentials }: { credentials: readonly Credential[] }) {
  return (
    <ul className="patina-list" aria-label="Sessions and access tokens">
      {credentials.map((credential) => (
        <CredentialRow key={credential.id} credential={credential} />
      ))}
    </ul>
  );
}
