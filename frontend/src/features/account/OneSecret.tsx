// A secret that is shown once.
import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Copyable } from "../../shared/ui/Copyable";

export function OneSecret({
  secret,
  what,
  children,
  onClose,
}: {
  secret: string;
  what: string;
  children: ReactNode;
  onClose: () => void;
}) {
  return (
    <Stack gap="md">
      <p>{children}</p>
      <Copyable text={secret} what={what} isBlock />
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
