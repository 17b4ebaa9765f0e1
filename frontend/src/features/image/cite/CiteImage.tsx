// References to an image, to copy.
import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { Image } from "../../../api/client";
import { Copyable } from "../../../shared/ui/Copyable";
import { bibtexOf, readmeOf, textOf } from "./cite";

const forms = {
  text: { label: "Text", write: textOf },
  bibtex: { label: "BibTeX", write: bibtexOf },
  readme: { label: "README", write: readmeOf },
} as const;
type Form = keyof typeof forms;

const isForm = (value: string): value is Form => Object.hasOwn(forms, value);

export function CiteImage({ image }: { image: Image }) {
  const [form, setForm] = useState<Form>("text");
  const { label, write } = forms[form];
  return (
    <section aria-labelledby="cite">
      <div className="patina-section">
        <h2 id="cite">Cite</h2>
        <SegmentedControl
          size="xs"
          aria-label="Form of the reference"
          data={Object.entries(forms).map(([value, { label: name }]) => ({ value, label: name }))}
          value={form}
          onChange={(value) => isForm(value) && setForm(value)}
          transitionDuration={0}
        />
      </div>
      <Copyable text={write(image, globalThis.location.origin)} what={`the ${label}`} isBlock />
    </section>
  );
}
