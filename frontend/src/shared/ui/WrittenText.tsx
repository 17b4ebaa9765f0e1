// Markdown text with a form that changes it.
import { Button, Group, Textarea } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import { Markdown } from "./Markdown";
import { RefusalNotice } from "./RefusalNotice";

interface Saving {
  mutate: (text: string, options: { onSuccess: () => void }) => void;
  isPending: boolean;
  error: Error | null;
}

interface Props {
  text: string;
  /** In lower case, with which the button is named: "note". */
  what: string;
  saving: Saving;
  isChangeable?: boolean;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function TextForm({ text, what, saving, onClose }: Props & { onClose: () => void }) {
  const [written, setWritten] = useState(text);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    saving.mutate(written, { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <Textarea
        label={capitalized(what)}
        description="Markdown"
        value={written}
        onChange={(event) => setWritten(event.currentTarget.value)}
        maxLength={20_000}
        autosize
        minRows={3}
        maxRows={16}
        data-autofocus
      />
      {saving.error !== null && <RefusalNotice error={saving.error} />}
      <Group gap="xs" mt="xs">
        <Button type="submit" loading={saving.isPending}>
          Save the {what}
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}

export function WrittenText({ isChangeable = true, ...props }: Props) {
  const { text, what } = props;
  const [isWriting, setWriting] = useState(false);
  if (isWriting) return <TextForm {...props} onClose={() => setWriting(false)} />;
  return (
    <>
      {text !== "" && <Markdown text={text} />}
      {isChangeable && (
        <Button variant="default" mt="xs" onClick={() => setWriting(true)}>
          {text === "" ? `Write a ${what}` : `Change the ${what}`}
        </Button>
      )}
    </>
  );
}
