// Who sees something, and links that show it without an account.
import { Button, Group } from "@mantine/core";
import { useState, type ComponentProps } from "react";
import type { Shown } from "../../api/client";
import { SeenBy, useMayChange } from "../ui/SeenBy";
import { SharedLinks } from "./SharedLinks";

interface Props extends ComponentProps<typeof SeenBy> {
  shown: Shown;
  /** What a link shows, as "this trial". */
  what: string;
}

export function ShareWith({ shared, share, shown, what }: Props) {
  const mayChange = useMayChange(shared);
  const [isLinking, setLinking] = useState(false);
  return (
    <Group gap="xs">
      <SeenBy shared={shared} share={share} />
      {mayChange && (
        <Button variant="default" onClick={() => setLinking(true)}>
          Link…
        </Button>
      )}
      {isLinking && <SharedLinks shown={shown} what={what} onClose={() => setLinking(false)} />}
    </Group>
  );
}
