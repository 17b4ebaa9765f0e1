// Says that a dialog began with the choices of one that closed without a start.
import { UnstyledButton } from "@mantine/core";

export function KeptNote({ startOver }: { startOver: (() => void) | null }) {
  if (startOver === null) return null;
  return (
    <p className="patina-quiet">
      These are your choices from before.{" "}
      <UnstyledButton className="patina-link" fz={13} td="underline" onClick={startOver}>
        Start over
      </UnstyledButton>
    </p>
  );
}
