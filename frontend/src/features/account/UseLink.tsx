// The page of a link for one use: it makes an account, or signs in to one.
import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import type { AccountLink } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { meQuery } from "../../shared/me";
import { formatTime } from "../../shared/units";
import { ByProvider } from "./ByProvider";
import { EntryFrame } from "./EntryFrame";
import { linkQuery, useLink } from "./queries";
import { roles } from "./roles";
import { Soon, TextLines } from "../../shared/ui/waiting/shapes";

/** The shortest password that the server takes. */
const SHORTEST = 12;
const nameRule = /^[a-z0-9][a-z0-9._-]{0,38}$/;

function NewPassword({
  label,
  isRequired,
  value,
  onChange,
}: {
  label: string;
  isRequired: boolean;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <PasswordInput
      label={label}
      description={`At least ${SHORTEST} characters`}
      autoComplete="new-password"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={value !== "" && value.length < SHORTEST ? `${SHORTEST - value.length} more` : null}
      maxLength={200}
      required={isRequired}
    />
  );
}

function titleOf({ purpose, account }: AccountLink): string {
  if (account !== null) return `Sign in as ${account.name}`;
  return purpose === "owner" ? "Become the owner of this server" : "Make your account";
}

function Words({ link }: { link: AccountLink }) {
  const until = formatTime(link.expires_at);
  const role = roles.find((each) => each.role === link.role);
  return (
    <>
      {link.account === null && (
        <p>
          {role?.title}: {role?.may}.
        </p>
      )}
      <p>
        The link works once, until <span title={until.exact}>{until.text}</span>.
      </p>
    </>
  );
}

function LinkForm({ link, token, onEntered }: { link: AccountLink; token: string; onEntered: () => void }) {
  const isNew = link.account === null;
  const use = useLink(token);
  const { data: me } = useQuery(meQuery);
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const isNamed = nameRule.test(name);
  const isLong = password.length >= SHORTEST || (!isNew && password === "");
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isLong || (isNew && !isNamed)) return;
    use.mutate(
      { ...(isNew && { name }), ...(password !== "" && { password }) },
      { onSuccess: () => onEntered() },
    );
  };
  return (
    <EntryFrame title={titleOf(link)} words={<Words link={link} />}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {isNew && (
            <TextInput
              label="Name"
              description="Others see it beside what you do"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={name === "" || isNamed ? null : "Small letters, digits, dots and dashes, at most 39"}
              required
            />
          )}
          <NewPassword
            label={isNew ? "Password" : "New password, or empty to keep it as it is"}
            isRequired={isNew}
            value={password}
            onChange={setPassword}
          />
          {use.isError && <RefusalNotice error={use.error} />}
          <Button type="submit" loading={use.isPending} disabled={!isLong || (isNew && !isNamed)}>
            {isNew ? "Make my account" : "Sign in"}
          </Button>
        </Stack>
      </form>
      {isNew && me?.provider != null && (
        <ByProvider
          verb="Join"
          provider={me.provider}
          asked={isNamed ? { return_path: "/devices", link_token: token, name } : null}
          words="No password is needed; the name above is."
        />
      )}
    </EntryFrame>
  );
}

export function UseLink({ token, onEntered }: { token: string; onEntered: () => void }) {
  const link = useQuery(linkQuery(token));
  if (link.data !== undefined) return <LinkForm link={link.data} token={token} onEntered={onEntered} />;
  return (
    <EntryFrame title={link.isError ? "This link cannot be used" : "Opening the link"}>
      {link.isError ? (
        <RefusalNotice error={link.error} onRetry={() => void link.refetch()} />
      ) : (
        <div role="status" aria-label="Loading">
          <Soon>
            <TextLines count={3} />
          </Soon>
        </div>
      )}
    </EntryFrame>
  );
}
