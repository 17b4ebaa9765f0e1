// Who sees an image, and links that show it without an account.
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import type { Image } from "../../api/client";
import { SeenBy, useMayChange } from "../../shared/ui/SeenBy";
import { ImageLinks } from "./ImageLinks";
import { useShareImage } from "./queries";

export function ShareImage({ image }: { image: Image }) {
  const share = useShareImage(image);
  const mayChange = useMayChange(image);
  const [isLinking, setLinking] = useState(false);
  return (
    <Group gap="xs">
      <SeenBy shared={image} share={share} />
      {mayChange && (
        <Button variant="default" onClick={() => setLinking(true)}>
          Link…
        </Button>
      )}
      {isLinking && <ImageLinks image={image} onClose={() => setLinking(false)} />}
    </Group>
  );
}
