// Saves a draft as a new profile, or as a fork that records its parent.
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Profile, ProfileCreate } from "../../../api/client";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useAuthor } from "../author";
import type { HistogramsContent } from "../editor/draft/bin";
import { useMakeProfile } from "../queries";
import { isProfileName, nameOfTitle } from "../words";
import { AboutFields, type About } from "./AboutFields";
import { SignFields } from "./SignFields";

interface Props {
  /** The version that it is a fork of. */
  parent: ProfileCreate["parent"];
  about: About;
  histograms: HistogramsContent;
  onSaved: (profile: Profile) => void;
  onClose: () => void;
}

export function SaveProfileDialog({ parent = null, about: first, histograms, onSaved, onClose }: Props) {
  const make = useMakeProfile();
  const { author, setAuthor, remember } = useAuthor();
  const [about, setAbout] = useState(first);
  const [typedName, setTypedName] = useState<string | null>(null);
  const [message, setMessage] = useState(
    parent === null ? "First version" : `Fork of ${parent.name}, version ${parent.number}`,
  );
  const name = typedName ?? nameOfTitle(about.title);
  const isReady =
    isProfileName(name) && about.title.trim() !== "" && author.trim() !== "" && message.trim() !== "";
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isReady) return;
    remember();
    const body = {
      name,
      ...about,
      title: about.title.trim(),
      parent,
      histograms,
      message: message.trim(),
      author: author.trim(),
    };
    make.mutate(body, { onSuccess: onSaved });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title="Save as a new profile"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <AboutFields about={about} onChange={setAbout} />
          <TextInput
            label="Name"
            description="Used in addresses and on the command line; cannot be changed later"
            classNames={{ input: "mono" }}
            value={name}
            onChange={(event) => setTypedName(event.currentTarget.value)}
            error={
              name !== "" && !isProfileName(name)
                ? "Lowercase letters, digits and dashes; the first character is a letter or digit"
                : null
            }
          />
          <SignFields {...{ message, author }} onMessage={setMessage} onAuthor={setAuthor} />
          {make.isError && <RefusalNotice error={make.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isReady} loading={make.isPending}>
              {name === "" ? "Save the profile" : `Save ${name}`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
