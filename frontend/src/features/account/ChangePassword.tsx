// Changes the password of the own account.
import { Button, Group, PasswordInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useChangePassword } from "./queries";

export function ChangePassword() {
  const change = useChangePassword();
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    change.mutate(
      { current: current === "" ? null : current, password },
      {
        onSuccess: () => {
          setCurrent("");
          setPassword("");
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="md">
        <PasswordInput
          label="Current password"
          description="Empty if there is none yet"
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          maxLength={200}
          w={260}
        />
        <PasswordInput
          label="New password"
          description="At least 12 characters"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          minLength={12}
          maxLength={200}
          required
          w={260}
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          Change the password
        </Button>
      </Group>
      <div role="status" style={{ marginTop: 8 }}>
        {change.isSuccess && "The password is changed. Your sessions in other browsers have ended."}
      </div>
      {change.isError && <RefusalNotice error={change.error} />}
    </form>
  );
}
