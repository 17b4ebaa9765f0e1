// The form that signs a browser in, in place of any page that it asked for.
import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useState, type ReactNode, type SyntheticEvent } from "react";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { EntryFrame } from "./EntryFrame";
import { ByProvider } from "./ByProvider";
import { useSignIn } from "./queries";

/** `provider`: the name of the one that signs in as well. `notice`: why an earlier sign-in failed. */
export function SignIn({
  provider,
  returnPath,
  notice,
}: {
  provider: string | null;
  returnPath: string;
  notice?: ReactNode;
}) {
  const enter = useSignIn();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    enter.mutate({ name: name.trim(), password });
  };
  return (
    <EntryFrame title="Sign in">
      {notice}
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Name"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={100}
            required
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            maxLength={200}
            required
          />
          {enter.isError && <RefusalNotice error={enter.error} />}
          <Button type="submit" loading={enter.isPending}>
            Sign in
          </Button>
          <p className="patina-quiet">
            Password lost? An owner of this server can make a link that signs you in.
          </p>
        </Stack>
      </form>
      {provider !== null && (
        <ByProvider verb="Sign in" provider={provider} asked={{ return_path: returnPath }} />
      )}
    </EntryFrame>
  );
}

/** For a server without an owner. */
export function NoOwner() {
  return (
    <EntryFrame title="This server has no owner yet">
      <p>
        Open the link that <code>make run</code> printed: it makes the first account.{" "}
        <code>bin/patina-admin link</code> on the server prints another.
      </p>
    </EntryFrame>
  );
}
