// Fields for the title, description, source and tags of a profile.
import { TagsInput, Textarea, TextInput } from "@mantine/core";
import type { Profile } from "../../../api/client";
import { missing } from "./useRequired";

export type About = Pick<Profile, "title" | "description" | "source" | "tags">;

export const nothingYet: About = { title: "", description: "", source: "", tags: [] };

export const titleErrorOf = ({ title }: About) => missing(title, "Give the profile a title");

export function aboutOf({ title, description, source, tags }: Profile): About {
  return { title, description, source, tags };
}

/** Returns the tags, each once; a comma separates two, however it was entered. */
function eachOf(typed: readonly string[]): string[] {
  const tags = typed.flatMap((tag) => tag.split(",")).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

interface Props {
  about: About;
  titleError: string | null;
  onChange: (about: About) => void;
}

export function AboutFields({ about, titleError, onChange }: Props) {
  return (
    <>
      <TextInput
        label="Title"
        required
        error={titleError}
        value={about.title}
        onChange={(event) => onChange({ ...about, title: event.currentTarget.value })}
        maxLength={200}
        data-autofocus
      />
      <Textarea
        label="Description"
        description="Markdown"
        value={about.description}
        onChange={(event) => onChange({ ...about, description: event.currentTarget.value })}
        maxLength={10_000}
        autosize
        minRows={3}
        maxRows={12}
      />
      <Textarea
        label="Source"
        description="The paper, or how it was measured"
        value={about.source}
        onChange={(event) => onChange({ ...about, source: event.currentTarget.value })}
        maxLength={2_000}
        autosize
        minRows={1}
      />
      <TagsInput
        label="Tags"
        description="Enter or a comma adds one"
        value={about.tags}
        onChange={(tags) => onChange({ ...about, tags: eachOf(tags) })}
        maxTags={20}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
    </>
  );
}
