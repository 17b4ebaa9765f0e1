// The choice of an image of the catalog, which is searched while it is typed, as the catalog itself is.
import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState, type KeyboardEvent } from "react";
import type { ImageItem } from "../../../api/client";
import { imagesQuery } from "../queries";

const PAUSE_MS = 150;

interface Props {
  label: string;
  /** The chosen image; null: none. */
  value: ImageItem | null;
  textOf: (image: ImageItem) => string;
  isDisabled: (image: ImageItem) => boolean;
  onPick: (image: ImageItem) => void;
  hasFocus?: boolean;
}

/** Picks the first image that was found, unless the arrow keys have marked another one: the list marks its first option
 * when a letter is typed, which is before the server has answered. */
function pickFirst(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key !== "Enter") return;
  const field = event.currentTarget;
  const marked = field.getAttribute("aria-activedescendant");
  if (marked !== null && document.getElementById(marked) !== null) return;
  const options = document.getElementById(field.getAttribute("aria-controls") ?? "");
  const first = options?.querySelector<HTMLElement>('[role="option"]:not([aria-disabled])');
  if (first == null) return;
  event.preventDefault();
  event.stopPropagation();
  first.click();
}

export function ImagePicker({ label, value, textOf, isDisabled, onPick, hasFocus = false }: Props) {
  const shown = value === null ? "" : textOf(value);
  const [typed, setTyped] = useState(shown);
  const [soon] = useDebouncedValue(typed, PAUSE_MS);
  const words = soon === shown ? "" : soon.trim();
  const search = words === "" ? {} : { q: words };
  const { data } = useInfiniteQuery({ ...imagesQuery(search), placeholderData: keepPreviousData });
  const found = data?.pages.flatMap(({ items }) => items) ?? [];
  const offered =
    value === null || words !== "" ? found : [value, ...found.filter(({ id }) => id !== value.id)];
  return (
    <Select
      label={label}
      placeholder="Name, tag, profile, file system, kernel"
      data={offered.map((image) => ({
        value: String(image.id),
        label: textOf(image),
        disabled: isDisabled(image),
      }))}
      value={value === null ? null : String(value.id)}
      onChange={(id) => {
        const picked = offered.find((image) => String(image.id) === id);
        if (picked === undefined) return;
        setTyped("");
        onPick(picked);
      }}
      onKeyDownCapture={pickFirst}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The server has searched.
      filter={({ options }) => options}
      nothingFoundMessage="No image matches"
      selectFirstOptionOnChange
      allowDeselect={false}
      maxDropdownHeight={280}
      comboboxProps={{ transitionProps: { duration: 0 } }}
      {...(hasFocus && { "data-autofocus": true })}
    />
  );
}
