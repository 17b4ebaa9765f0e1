// The choice of images to measure, and of their unaged twins.
import { Checkbox, Switch } from "@mantine/core";
import type { ImageItem } from "../../api/client";
import { ImagePicker } from "../../features/image/search/ImagePicker";
import { describe } from "../../features/image/words";
import { LinkButton } from "../../shared/ui/LinkButton";
import { Empty } from "../../shared/ui/Empty";
import { bytes, formatBytes } from "../../shared/units";
import classes from "./NewTrial.module.css";
import { hollowOf, lackingTwins, type Draft } from "./draft";

interface Props {
  draft: Draft;
  images: readonly ImageItem[];
  onChange: (change: Partial<Draft>) => void;
  /** Receives an image that was searched for, which may be on no page that is loaded. */
  onFind: (image: ImageItem) => void;
}

const isMeasurable = ({ file_system }: ImageItem) => file_system !== null;
const factsOf = (image: ImageItem) =>
  `${describe(image)}, ${formatBytes(bytes(image.size_bytes)).text}` +
  (image.mode === "metadata" ? ", no contents: only on emulated disks" : "");
const textOf = (image: ImageItem) => `${image.name}, ${factsOf(image)}`;

export function ImageChoice({ draft, images, onChange, onFind }: Props) {
  const { image_ids } = draft;
  const toggle = (id: number) =>
    onChange({
      image_ids: image_ids.includes(id) ? image_ids.filter((other) => other !== id) : [...image_ids, id],
    });
  const measurable = images.filter(isMeasurable);
  const twins = lackingTwins(draft, images);
  const hollow = hollowOf(draft, images);
  if (measurable.length === 0)
    return (
      <Empty title="No image yet" action={<LinkButton to="/devices">Choose a device</LinkButton>}>
        A trial measures images. Age a device, or import an image.
      </Empty>
    );
  return (
    <>
      <ImagePicker
        label="Find an image"
        value={null}
        textOf={textOf}
        isDisabled={(image) => !isMeasurable(image) || image_ids.includes(image.id)}
        onPick={(image) => {
          onFind(image);
          toggle(image.id);
        }}
      />
      <div className={classes.choices} role="group" aria-label="Images">
        {measurable.map((image) => (
          <Checkbox
            key={image.id}
            checked={image_ids.includes(image.id)}
            onChange={() => toggle(image.id)}
            label={<span className="mono">{image.name}</span>}
            description={factsOf(image)}
          />
        ))}
      </div>
      {hollow.length > 0 && (
        <Switch
          mt="md"
          label="Age the same recipe with data first"
          description={`The files of ${hollow.join(", ")} have no data, which grep has to read.`}
          checked={draft.getsData}
          onChange={(event) => onChange({ getsData: event.currentTarget.checked })}
        />
      )}
      {twins.length > 0 && (
        <Switch
          mt="md"
          label={`Measure the unaged twin too (${twins.join(", ")})`}
          description="The same files, created once on a fresh file system. A twin that is not in the catalog is made first, on the same device."
          checked={draft.addsTwins}
          onChange={(event) => onChange({ addsTwins: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
