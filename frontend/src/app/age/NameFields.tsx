// Fields for what a run has beside its settings: the name of its image, and a note.
import { Textarea, TextInput } from "@mantine/core";
import { problemOfImageName } from "../../shared/imageName";
import { percentOf, type Goal } from "./goal";

/** Returns the name that the image gets without another: agrawal-70-ext4-12, with the number of the run. */
export function usualNameOf({ profile, workload, fullness }: Goal, file_system: string): string {
  const percent = fullness === null || workload === "replay" ? "…" : String(Math.round(percentOf(fullness)));
  return `${profile ?? workload}-${percent}-${file_system}-…`;
}

interface ImageNameProps {
  name: string;
  /** The name while the field is empty. */
  usual: string;
  onChange: (name: string) => void;
  label?: string;
}

export function ImageNameField({ name, usual, onChange, label }: ImageNameProps) {
  return (
    <TextInput
      label="Name of the image"
      aria-label={label}
      description="Empty: by its goal, file system and run. A number is added if another image has the name."
      placeholder={usual}
      value={name}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
      error={problemOfImageName(name)}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

export function NoteField({ note, onChange }: { note: string; onChange: (note: string) => void }) {
  return (
    <Textarea
      label="Note"
      description="Markdown, on the page of the run"
      value={note}
      onChange={(event) => onChange(event.currentTarget.value)}
      maxLength={20_000}
      autosize
      minRows={2}
      maxRows={8}
    />
  );
}
