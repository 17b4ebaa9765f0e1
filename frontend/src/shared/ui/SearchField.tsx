// The words of a search, typed. The address follows a moment later.
import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useRef, useState } from "react";

const PAUSE_MS = 150;

interface Props {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

export function SearchField({ label, placeholder, value, onChange }: Props) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  const [sent, setSent] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  // Another value than the one sent comes from the address: the back button, a link.
  if (value !== seen) {
    setSeen(value);
    if (value !== sent) setText(value);
  }
  const send = (typed: string) => {
    setSent(typed.trim());
    onChange(typed.trim());
  };
  const sendSoon = useDebouncedCallback(send, PAUSE_MS);
  const clear = () => {
    sendSoon.cancel();
    setText("");
    send("");
    field.current?.focus();
  };
  useHotkeys([["/", () => field.current?.focus()]]);
  return (
    <TextInput
      ref={field}
      type="search"
      aria-label={label}
      title="Press / to search"
      placeholder={placeholder}
      maxLength={200}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text !== "" && <CloseButton aria-label="Clear the search" size="sm" onClick={clear} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        sendSoon(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && text !== "") clear();
      }}
    />
  );
}
