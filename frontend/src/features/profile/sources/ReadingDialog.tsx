// Reads histograms from a spreadsheet or files: the server parses them, the user checks and takes them.
import { Button, Group, Modal, Select, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import type { HistogramName, ProfileReading } from "../../../api/client";
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

interface PasteProps {
  text: string;
  histogram: HistogramName;
  isPending: boolean;
  onChange: (text: string, histogram: HistogramName) => void;
  onRead: () => void;
}

function PasteFields({ text, histogram, isPending, onChange, onRead }: PasteProps) {
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

export function ReadingDialog({ text: first, onTake, onClose }: Props) {
  const reading = useReading();
  const [text, setText] = useState(first);
  const [histogram, setHistogram] = useState<HistogramName>("size");
  const taken = reading.data === undefined ? {} : takenOf(reading.data);
  const names = histogramNames.filter((name) => taken[name] !== undefined);
  return (
    <Modal
      opened
      onClose={onClose}
      size={880}
      title="Paste or open"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="lg">
        <FileDrop
          label="Files"
          title="Drop files here, or choose them"
          note="Patina JSON, Geriatrix's three text files or a zip of them, or CSV with the header histogram,edge,weight,subdirs"
          button="Choose files"
          multiple
          onChoose={(files) => reading.mutate({ files })}
        />
        <PasteFields
          text={text}
          histogram={histogram}
          isPending={reading.isPending}
          onChange={(pasted, kind) => {
            setText(pasted);
            setHistogram(kind);
          }}
          onRead={() => reading.mutate({ text, histogram })}
        />
        {reading.isError && <RefusalNotice error={reading.error} />}
        {reading.data !== undefined && <ReadingPreview reading={reading.data} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={names.length === 0} onClick={() => onTake(taken)}>
            {names.length === 0 ? "Take it" : `Take ${names.join(", ")}`}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
