// Puts a trial together: images, workloads, method, device.
import { Button, SegmentedControl, Select, Switch } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode, type SyntheticEvent } from "react";
import type { Device, ImageItem } from "../../api/client";
import { newKey } from "../../features/action/words";
import { Confirmation, isConfirmed } from "../../features/device/Confirmation";
import { devicesQuery } from "../../features/device/queries";
import { kindOf } from "../../features/device/words";
import { dropsData, nameOf } from "../../shared/device";
import { imagesOfQuery, imagesQuery } from "../../features/image/queries";
import { trialQuery, useStartTrial } from "../../features/trial/queries";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { ShowOlder } from "../../shared/ui/ShowOlder";
import { formatDuration, seconds } from "../../shared/units";
import { AgingFields } from "../trial/AgingFields";
import { ImageChoice } from "../trial/ImageChoice";
import { MethodFields } from "../trial/MethodFields";
import classes from "../trial/NewTrial.module.css";
import { Plans } from "../trial/Plans";
import { WorkloadChoice } from "../trial/WorkloadChoice";
import {
  armsOf,
  draftLike,
  emptyDraft,
  expectedSeconds,
  hasJournal,
  lackingTwins,
  lackOf,
  requestOf,
  workloadsOf,
  type Draft,
} from "../trial/draft";
import { Fields } from "../../shared/ui/waiting/shapes";

interface FormProps {
  start: Draft;
  images: readonly ImageItem[];
  /** Loads more of them. */
  older: ReactNode;
  devices: readonly Device[];
}

/** Reports whether the device may take every image: large enough, not protected, with data for each. */
function fits(device: Device, images: readonly ImageItem[]): boolean {
  return (
    device.is_usable &&
    (device.state === "available" || device.state === "busy") &&
    images.every(
      ({ size_bytes, mode }) => size_bytes <= device.size_bytes && (mode !== "metadata" || dropsData(device)),
    )
  );
}

/** Returns the listed images, and after them the chosen ones that are not listed. */
function together(listed: readonly ImageItem[], chosen: readonly ImageItem[]): ImageItem[] {
  const ids = new Set(listed.map(({ id }) => id));
  return [...listed, ...chosen.filter(({ id }) => !ids.has(id))];
}

function Extent({ draft, images }: { draft: Draft; images: readonly ImageItem[] }) {
  const twins = draft.addsTwins ? lackingTwins(draft, images).length : 0;
  const arms = armsOf(draft, images).length + twins;
  const workloads = workloadsOf(draft).length;
  if (arms === 0 || workloads === 0) return null;
  const all = arms * workloads * draft.repetitions;
  const time = formatDuration(seconds(expectedSeconds(draft, arms))).text;
  return (
    <p>
      {arms} {arms === 1 ? "image" : "images"}, {workloads} {workloads === 1 ? "workload" : "workloads"},{" "}
      {draft.repetitions} times each: {all} repetitions, about {time}
      {draft.source === "aging"
        ? ", and the time to age them"
        : twins > 0 && ", and the time to make twins that are missing"}
      . The number of files of each workload is scaled to the free space of the fullest image, and is the same
      on all.
    </p>
  );
}

interface SectionProps {
  draft: Draft;
  images: readonly ImageItem[];
  older: ReactNode;
  onChange: (change: Partial<Draft>) => void;
  onFind: (image: ImageItem) => void;
}

function ImagesSection({ draft, images, older, onChange, onFind }: SectionProps) {
  return (
    <section aria-labelledby="images">
      <div className="patina-section">
        <h2 id="images">Images</h2>
        <SegmentedControl
          size="xs"
          aria-label="Images"
          data={[
            { value: "catalog", label: "From the catalog" },
            { value: "aging", label: "Age them first" },
          ]}
          value={draft.source}
          onChange={(value) => onChange({ source: value === "aging" ? "aging" : "catalog" })}
          transitionDuration={0}
        />
      </div>
      {draft.source === "catalog" ? (
        <>
          <ImageChoice draft={draft} images={images} onChange={onChange} onFind={onFind} />
          {older}
        </>
      ) : (
        <AgingFields draft={draft} onChange={onChange} />
      )}
      {hasJournal(draft, images) && (
        <Switch
          mt="md"
          label="Measure ext3 and ext4 without their journal too"
          checked={draft.withoutJournal}
          onChange={(event) => onChange({ withoutJournal: event.currentTarget.checked })}
        />
      )}
    </section>
  );
}

interface DeviceProps {
  draft: Draft;
  devices: readonly Device[];
  /** Images that it must take. */
  chosen: readonly ImageItem[];
  onChange: (change: Partial<Draft>) => void;
}

function DeviceField({ draft, devices, chosen, onChange }: DeviceProps) {
  return (
    <Select
      label="Measure on"
      placeholder="Choose a device"
      w="100%"
      data={devices.map((other) => ({
        value: String(other.id),
        label: `${nameOf(other)}, ${kindOf(other)}${other.state === "busy" ? ", busy: the trial waits" : ""}`,
        disabled: !fits(other, chosen),
      }))}
      value={draft.device_id === null ? null : String(draft.device_id)}
      onChange={(value) => onChange({ device_id: value === null ? null : Number(value), typed: "" })}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}

function Form({ start: from, images: loaded, older, devices }: FormProps) {
  const [draft, setDraft] = useState(from);
  const [found, setFound] = useState<readonly ImageItem[]>([]);
  const images = together(loaded, found);
  const [idempotency_key] = useState(newKey);
  const navigate = useNavigate();
  const start = useStartTrial();
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const chosen = draft.source === "catalog" ? images.filter(({ id }) => draft.image_ids.includes(id)) : [];
  const device = devices.find(({ id }) => id === draft.device_id) ?? null;
  const lack = lackOf(draft, images);
  const isReady = lack === null && device !== null && isConfirmed(device, draft.typed);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!isReady) return;
    start.mutate(
      { body: requestOf(draft, images, device), idempotency_key },
      { onSuccess: ({ id }) => void navigate({ to: "/trials/$trialId", params: { trialId: String(id) } }) },
    );
  };
  return (
    <form onSubmit={submit} className="patina-stack">
      <section aria-labelledby="plans">
        <div className="patina-section">
          <h2 id="plans">Ready-made</h2>
          <span>fills in what is below; all of it can be changed</span>
        </div>
        <Plans onChoose={change} />
      </section>
      <ImagesSection
        draft={draft}
        images={images}
        older={older}
        onChange={change}
        onFind={(image) => setFound((before) => [image, ...before])}
      />
      <section aria-labelledby="workloads">
        <div className="patina-section">
          <h2 id="workloads">Workloads</h2>
        </div>
        <WorkloadChoice draft={draft} onChange={change} />
      </section>
      <section aria-labelledby="method">
        <div className="patina-section">
          <h2 id="method">Method</h2>
        </div>
        <MethodFields draft={draft} onChange={change} />
      </section>
      <section aria-labelledby="device">
        <div className="patina-section">
          <h2 id="device">Device</h2>
        </div>
        <div className={classes.end}>
          <DeviceField draft={draft} devices={devices} chosen={chosen} onChange={change} />
          {device !== null && (
            <Confirmation device={device} typed={draft.typed} onType={(typed) => change({ typed })} />
          )}
          <Extent draft={draft} images={images} />
          {lack !== null && <p className="patina-quiet">{lack}</p>}
          {start.isError && <RefusalNotice error={start.error} />}
          <Button type="submit" disabled={!isReady} loading={start.isPending}>
            Start trial
          </Button>
        </div>
      </section>
    </form>
  );
}

/** Returns the draft that the address asks for: with images, or like an earlier trial. */
function useStart(): Draft | undefined {
  const { images, like } = useSearch({ from: "/trials/new" });
  const { data: earlier, isError } = useQuery({ ...trialQuery(like ?? 0), enabled: like !== undefined });
  if (like !== undefined && earlier === undefined && !isError) return undefined;
  if (earlier !== undefined) return draftLike(earlier);
  const image_ids = (images ?? "")
    .split(",")
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);
  return { ...emptyDraft, image_ids };
}

export function NewTrialPage() {
  const images = useInfiniteQuery(imagesQuery());
  const devices = useQuery(devicesQuery);
  const from = useStart();
  // Those of an earlier trial may be old: on no page that is loaded.
  const wanted = useQuery({ ...imagesOfQuery(from?.image_ids ?? []), enabled: from !== undefined });
  const chosen = wanted.isError ? [] : wanted.data;
  return (
    <>
      <PageHeader title="New trial">
        Workloads on images. The device is restored or rolled back before each repetition.
      </PageHeader>
      <Panel query={images} skeleton={<Fields count={5} />}>
        {({ pages }) =>
          from === undefined || devices.data === undefined || chosen === undefined ? (
            <Fields count={5} />
          ) : (
            <Form
              start={from}
              images={together(
                pages.flatMap(({ items }) => items),
                chosen,
              )}
              older={<ShowOlder query={images} what="images" mt="md" />}
              devices={devices.data}
            />
          )
        }
      </Panel>
    </>
  );
}
