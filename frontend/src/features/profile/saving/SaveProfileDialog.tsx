// Saves a draft as a new profile, or as a fork that records its parent.
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Profile, ProfileCreate } from "../../../api/client";
import { Dialog } from "../../../shared/ui/Dialog";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useAuthor } from "../author";
import type { HistogramsContent } from "../editor/draft/bin";
import { useMakeProfile } from "../queries";
import { isProfileName, nameOfTitle } from "../words";
import { AboutFields, titleErrorOf, type About } from "./AboutFields";
import { RequiredNote } from "./RequiredNote";
import { SignFields, signErrorsOf } from "./SignFields";
import { missing, useRequired } from "./useRequired";

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
  const formError =
    name === "" || isProfileName(name)
      ? null
      : "Lowercase letters, digits and dashes; the first character is a letter or digit";
  const errors = {
    title: titleErrorOf(about),
    name: formError ?? missing(name, "Give the profile a name"),
    ...signErrorsOf(message, author),
  };
  const { form, shown } = useRequired(errors, () => {
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
  });
  return (
    <Dialog onClose={onClose} size="lg" title="Save as a new profile">
      <form {...form}>
        <Stack gap="md">
          <RequiredNote />
          <AboutFields about={about} titleError={shown?.title ?? null} onChange={setAbout} />
          <TextInput
            label="Name"
            description="Used in addresses and on the command line; cannot be changed later"
            classNames={{ input: "mono" }}
            value={name}
            onChange={(event) => setTypedName(event.currentTarget.value)}
            required
            error={formError ?? shown?.name}
          />
          <SignFields {...{ message, author }} errors={shown} onMessage={setMessage} onAuthor={setAuthor} />
          {make.isError && <RefusalNotice error={make.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={make.isPending}>
              {name === "" ? "Save the profile" : `Save ${name}`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
