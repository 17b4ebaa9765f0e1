// Fields for the message and the author of a version.
import { SimpleGrid, TextInput } from "@mantine/core";
import { missing } from "./useRequired";

/** Returns the errors of both fields. */
export function signErrorsOf(message: string, author: string) {
  return {
    message: missing(message, "Say what changed, for the list of versions"),
    author: missing(author, "Give your name, for the list of versions"),
  };
}

interface Props {
  message: string;
  author: string;
  errors: ReturnType<typeof signErrorsOf> | null;
  onMessage: (message: string) => void;
  onAuthor: (author: string) => void;
}

export function SignFields({ message, author, errors, onMessage, onAuthor }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <TextInput
        label="What changed"
        required
        error={errors?.message}
        description="Shown in the list of versions"
        value={message}
        onChange={(event) => onMessage(event.currentTarget.value)}
        maxLength={2_000}
        data-autofocus
      />
      <TextInput
        label="Your name"
        required
        error={errors?.author}
        description="Remembered in this browser"
        value={author}
        onChange={(event) => onAuthor(event.currentTarget.value)}
        maxLength={100}
        autoComplete="name"
      />
    </SimpleGrid>
  );
}
