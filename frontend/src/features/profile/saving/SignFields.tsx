// Fields for the message and the author of a version.
import { SimpleGrid, TextInput } from "@mantine/core";

interface Props {
  message: string;
  author: string;
  onMessage: (message: string) => void;
  onAuthor: (author: string) => void;
}

export function SignFields({ message, author, onMessage, onAuthor }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <TextInput
        label="What changed"
        description="Shown in the list of versions"
        value={message}
        onChange={(event) => onMessage(event.currentTarget.value)}
        maxLength={2_000}
        data-autofocus
      />
      <TextInput
        label="Your name"
        description="Remembered in this browser"
        value={author}
        onChange={(event) => onAuthor(event.currentTarget.value)}
        maxLength={100}
        autoComplete="name"
      />
    </SimpleGrid>
  );
}
