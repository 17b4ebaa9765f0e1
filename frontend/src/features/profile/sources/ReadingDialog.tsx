// Reads histograms from a spreadsheet or files: the server parses them, the user checks and takes them.
import { Button, Group, Select, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { Refusal, type HistogramName, type ProfileReading } from "../../../api/client";
import { Dialog } from "../../../shared/ui/Dialog";
import { FileDrop } from "../../../shared/ui/FileDrop";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { histogramNames, histogramsOf, type EditedHistograms } from "../editor/draft/bin";
import { histogramTitles } from "../words";
import { useReading } from "./queries";
import { ReadingPreview } from "./ReadingPreview";

interface Props {
  /** The text already pasted onto the page, or "". */
  text: string;
  onTake: (histograms: Partial<EditedHistograms>) => void;
  onClose: () => void;
}

function isHistogram(value: string | null): value is HistogramName {
  return histogramNames.some((name) => name === value);
}

/** Returns the histograms of the reading; absent ones replace nothing. */
function takenOf(reading: ProfileReading): Partial<EditedHistograms> {
  const all = histogramsOf(reading.histograms);
  const named = histogramNames.filter((name) => all[name].length > 0);
  return Object.fromEntries(named.map((name) => [name, all[name]]));
}

/** For what takes the place of the button that was pressed. */
function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

interface PasteProps {
  text: string;
  histogram: HistogramName;
  isPending: boolean;
  /** Whether it takes the place of what was read, with the focus. */
  isAgain: boolean;
  onChange: (text: string, histogram: HistogramName) => void;
  onRead: () => void;
}

function PasteFields({ text, histogram, isPending, isAgain, onChange, onRead }: PasteProps) {
  return (
    <Stack gap="xs">
      <Textarea
        label="Or paste columns"
        description="Edge and weight from a spreadsheet, for depth also directories; one row per line"
        classNames={{ input: "mono" }}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value, histogram)}
        minRows={4}
        maxRows={10}
        autosize
        data-autofocus
        ref={isAgain ? takeFocus : null}
      />
      <Group align="flex-end" gap="md">
        <Select
          label="Histogram"
          data={histogramNames.map((name) => ({ value: name, label: histogramTitles[name] }))}
          value={histogram}
          onChange={(value) => isHistogram(value) && onChange(text, value)}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
        <Button variant="default" disabled={text.trim() === ""} loading={isPending} onClick={onRead}>
          Read the columns
        </Button>
      </Group>
    </Stack>
  );
}

/** Asks which histogram the two columns of a file are: its text does not say. */
function WhichHistogram({
  isPending,
  onChoose,
}: {
  isPending: boolean;
  onChoose: (name: HistogramName) => void;
}) {
  return (
    <Group gap="xs" role="group" aria-label="Which histogram is it?">
      {histogramNames.map((name, index) => (
        <Button
          key={name}
          variant="default"
          disabled={isPending}
          ref={index === 0 ? takeFocus : null}
          onClick={() => onChoose(name)}
        >
          {histogramTitles[name]}
        </Button>
      ))}
    </Group>
  );
}

function nextStepOf(names: readonly HistogramName[]): string {
  if (names.length === 0)
    return "Nothing can be taken. Correct the file or the columns, and read them again.";
  const others = histogramNames.filter((name) => !names.includes(name));
  const stay =
    others.length === 0
      ? ""
      : ` The histogram${others.length === 1 ? "" : "s"} of ${others.join(" and ")} ${others.length === 1 ? "stays" : "stay"} as on the page: read or drag ${others.length === 1 ? "it" : "them"} too.`;
  return `Next: take ${names.join(", ")} onto the page.${stay} Then save the profile.`;
}

interface WhatWasReadProps {
  reading: ProfileReading;
  onTake: Props["onTake"];
  onAgain: () => void;
  onClose: () => void;
}

/** What was read, and the next step. It has the focus: the button that read it has left the page. */
function WhatWasRead({ reading, onTake, onAgain, onClose }: WhatWasReadProps) {
  const taken = takenOf(reading);
  const names = histogramNames.filter((name) => taken[name] !== undefined);
  return (
    <>
      <ReadingPreview reading={reading} />
      <p>{nextStepOf(names)}</p>
      <Group justify="flex-end" gap="xs">
        <Button variant="subtle" onClick={onAgain} ref={names.length === 0 ? takeFocus : null}>
          Read something else
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {names.length > 0 && (
          <Button onClick={() => onTake(taken)} ref={takeFocus}>
            Take {names.join(", ")}
          </Button>
        )}
      </Group>
    </>
  );
}

export function ReadingDialog({ text: first, onTake, onClose }: Props) {
  const reading = useReading();
  const [text, setText] = useState(first);
  const [histogram, setHistogram] = useState<HistogramName>("size");
  const [isAgain, setAgain] = useState(false);
  const again = () => {
    setAgain(true);
    reading.reset();
  };
  const { error, variables: asked } = reading;
  const files = asked !== undefined && "files" in asked ? asked.files : null;
  const isUnnamed = error instanceof Refusal && error.code === "histogram_unnamed";
  const form = (
    <>
      <FileDrop
        label="Files"
        title="Drop files here, or choose them"
        note="Patina JSON, Geriatrix's three text files or a zip of them, the output of patina-core scan, CSV with the header histogram,edge,weight,subdirs, or two columns: edge and weight"
        button="Choose files"
        multiple
        onChoose={(chosen) => reading.mutate({ files: chosen })}
      />
      {isUnnamed && files !== null && (
        <>
          <RefusalNotice error={error} />
          <WhichHistogram
            isPending={reading.isPending}
            onChoose={(name) => reading.mutate({ files, histogram: name })}
          />
        </>
      )}
      <PasteFields
        text={text}
        histogram={histogram}
        isPending={reading.isPending}
        isAgain={isAgain}
        onChange={(pasted, kind) => {
          setText(pasted);
          setHistogram(kind);
        }}
        onRead={() => reading.mutate({ text, histogram })}
      />
      {error !== null && !isUnnamed && <RefusalNotice error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </>
  );
  return (
    <Dialog onClose={onClose} size={880} title="Paste or open">
      <Stack gap="lg">
        {reading.data === undefined ? (
          form
        ) : (
          <WhatWasRead reading={reading.data} onTake={onTake} onAgain={again} onClose={onClose} />
        )}
      </Stack>
    </Dialog>
  );
}
