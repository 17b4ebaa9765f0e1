// The tags of an image: names that move from image to image.
import { Button, Group, Pill, TextInput } from "@mantine/core";
import { useEffect, useRef, useState, type SyntheticEvent } from "react";
import type { Image } from "../../../api/client";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useRemoveTag, useSetTag } from "./queries";

function AddTag({ image, onClose }: { image: Image; onClose: () => void }) {
  const set = useSetTag(image);
  const [reference, setReference] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    set.mutate(reference.trim(), { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Tag"
          description="It names one image at a time: another image loses it"
          placeholder="mail-server:v1 or team/mail-server:v1"
          value={reference}
          onChange={(event) => setReference(event.currentTarget.value)}
          maxLength={250}
          required
          w={320}
          maw="100%"
          ref={field}
        />
        <Button type="submit" loading={set.isPending}>
          Set the tag
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
      {set.isError && <RefusalNotice error={set.error} />}
    </form>
  );
}

export function ImageTags({ image, isChangeable }: { image: Image; isChangeable: boolean }) {
  const remove = useRemoveTag(image);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <Group gap="xs" role="group" aria-label="Tags">
        {image.tags.map((tag) => (
          <Pill
            key={tag}
            className="mono"
            withRemoveButton={isChangeable}
            onRemove={() => remove.mutate(tag)}
            disabled={remove.isPending && remove.variables === tag}
            removeButtonProps={{ "aria-label": `Remove the tag ${tag}`, "aria-hidden": false, tabIndex: 0 }}
          >
            {tag}
          </Pill>
        ))}
        {image.tags.length === 0 && <span className="patina-quiet">No tags</span>}
        {isChangeable && !isAdding && (
          <Button variant="subtle" size="compact-sm" onClick={() => setAdding(true)}>
            Add a tag
          </Button>
        )}
      </Group>
      {isAdding && <AddTag image={image} onClose={() => setAdding(false)} />}
      {remove.isError && <RefusalNotice error={remove.error} />}
    </>
  );
}
