// The name of a device, typed to confirm that its content is lost.
import { TextInput } from "@mantine/core";

interface Props {
  name: string;
  typed: string;
  onType: (typed: string) => void;
}

export function TypedName({ name, typed, onType }: Props) {
  return (
    <TextInput
      label={`Type ${name} to confirm`}
      value={typed}
      onChange={(event) => onType(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
    />
  );
}
