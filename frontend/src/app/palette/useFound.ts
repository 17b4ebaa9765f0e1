// The devices, runs, images, profiles, trials, studies, hosts and help that the palette offers.
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type {
  BatchLink,
  DeviceItem,
  Host,
  Image,
  ImageItem,
  Profile,
  Run,
  RunItem,
  StudyItem,
} from "../../api/client";
import { devicesQuery } from "../../features/device/queries";
import { documentGroups } from "../../features/help/documents";
import { hostsQuery } from "../../features/host/queries";
import { profilesQuery } from "../../features/profile/queries";
import { subjectOf, titleOf as titleOfStudy } from "../../features/study/words";
import { titleOf } from "../../features/trial/words";
import { nameOf, pathOf } from "../../shared/device";
import { goalOf } from "../../shared/goal";
import { glossaryQuery } from "../../shared/help/glossary";
import { slugOf } from "../../shared/help/slug";
import { bytes, formatBytes } from "../../shared/units";
import { mayAge } from "../age/mayAge";
import type { Entry } from "./entry";
import { useMay } from "./places";
import {
  foundImagesQuery,
  foundRunsQuery,
  namedImageQuery,
  newestBatchesQuery,
  newestRunsQuery,
  newestStudiesQuery,
  newestTrialsQuery,
  numberedRunQuery,
} from "./queries";

type Navigate = ReturnType<typeof useNavigate>;

function ofDevice(device: DeviceItem, navigate: Navigate, may: ReturnType<typeof useMay>): Entry[] {
  const path = pathOf(device);
  const name = nameOf(device);
  const own = device.name === null ? "" : `${path}, `;
  const note = `${own}${device.host.name}, ${formatBytes(bytes(device.size_bytes)).text}, ${device.state}`;
  return [
    {
      id: `device ${device.id}`,
      group: "Devices",
      title: name,
      note,
      keywords: `device ${device.stable_id} ${device.model ?? ""} ${device.serial ?? ""}`,
      go: () => void navigate({ to: "/devices", hash: `device-${device.id}` }),
    },
    ...(may("member") && mayAge(device)
      ? [
          {
            id: `age ${device.id}`,
            group: "Devices" as const,
            title: `Age ${name}`,
            note,
            go: () => void navigate({ to: "/devices", search: { age: device.id } }),
          },
        ]
      : []),
  ];
}

function ofRun(run: Run | RunItem, navigate: Navigate, isFound: boolean): Entry {
  return {
    id: `run ${run.id}`,
    group: "Runs",
    title: run.name === "" ? `Run ${run.id}` : `Run ${run.id}: ${run.name}`,
    note: `${goalOf(run)} on ${pathOf(run.device)}, ${[run.state, ...run.tags].join(", ")}`,
    keywords: run.file_system,
    isFound,
    go: () => void navigate({ to: "/runs/$runId", params: { runId: String(run.id) } }),
  };
}

function ofBatch(batch: BatchLink, navigate: Navigate): Entry {
  const goal = batch.profile_title ?? batch.workload ?? "";
  const on = batch.runs.map(({ file_system, device_path }) => `${file_system} on ${device_path ?? "–"}`);
  return {
    id: `batch ${batch.id}`,
    group: "Batches",
    title: `Batch ${batch.id}`,
    note: `${goal}, ${on.join(", ")}`,
    go: () => void navigate({ to: "/batches/$batchId", params: { batchId: String(batch.id) } }),
  };
}

function ofImage(
  image: Image | ImageItem,
  navigate: Navigate,
  mayRestore: boolean,
  isFound: boolean,
): Entry[] {
  const note = `image ${image.id}, ${image.file_system ?? "no file system"}`;
  return [
    {
      id: `image ${image.id}`,
      group: "Images",
      title: image.name,
      note,
      isFound,
      go: () => void navigate({ to: "/images/$imageId", params: { imageId: String(image.id) } }),
    },
    ...(mayRestore
      ? [
          {
            id: `restore ${image.id}`,
            group: "Images" as const,
            title: `Restore ${image.name} to a device`,
            note,
            go: () => void navigate({ to: "/devices", search: { restore: image.id } }),
          },
        ]
      : []),
  ];
}

function ofProfile({ name, title }: Profile, navigate: Navigate, mayAge: boolean): Entry[] {
  return [
    {
      id: `profile ${name}`,
      group: "Profiles",
      title,
      note: name,
      keywords: "profile",
      go: () => void navigate({ to: "/profiles/$name", params: { name } }),
    },
    ...(mayAge
      ? [
          {
            id: `age with ${name}`,
            group: "Profiles" as const,
            title: `Age a device with ${title}`,
            go: () => void navigate({ to: "/devices", search: { profile: name } }),
          },
        ]
      : []),
  ];
}

/** The documents with their headings, and the terms of the glossary. */
function useHelp(navigate: Navigate): Entry[] {
  const { data: terms = [] } = useQuery(glossaryQuery);
  const open = (path: string, hash?: string) =>
    void navigate({ to: "/help/$", params: { _splat: path }, ...(hash !== undefined && { hash }) });
  const documents = documentGroups.flatMap((group) =>
    group.documents.flatMap(({ path, title, headings }): Entry[] => [
      { id: `help ${path}`, group: "Help", title, note: group.title, keywords: "help", go: () => open(path) },
      ...headings.map((heading) => ({
        id: `help ${path}#${slugOf(heading)}`,
        group: "Help" as const,
        title: heading,
        note: title,
        go: () => open(path, slugOf(heading)),
      })),
    ]),
  );
  const glossary = terms.map(({ word, slug, line, meaning }): Entry => ({
    id: `term ${slug}`,
    group: "Help",
    title: word,
    note: `glossary: ${meaning.replaceAll(/[*`]/g, "")}`,
    opens: `term of line ${line}`,
    go: () => open("glossary", slug),
  }));
  return [...glossary, ...documents];
}

/** Returns what was typed without the verb of an action: an image is found by its own words. */
function nameIn(words: string): string {
  return words.replace(/^(restore|age)\s+/i, "");
}

function ofHost(host: Host, navigate: Navigate): Entry {
  return {
    id: `host ${host.id}`,
    group: "Hosts",
    title: host.name,
    note: host.is_healthy ? "host · online" : "host · silent",
    go: () => void navigate({ to: "/hosts" }),
  };
}

function ofStudy(study: StudyItem, navigate: Navigate): Entry {
  return {
    id: `study ${study.id}`,
    group: "Studies",
    title: titleOfStudy(study),
    note: `${subjectOf(study)}, ${study.state}`,
    go: () => void navigate({ to: "/studies/$studyId", params: { studyId: String(study.id) } }),
  };
}

interface Found {
  entries: Entry[];
  isPending: boolean;
  failed: UseQueryResult | null;
}

/** `words`: what was typed, once it rests. Without words nothing is offered: all of it would be too much. */
export function useFound(words: string): Found {
  const navigate = useNavigate();
  const may = useMay();
  const isAsked = words !== "";
  const asked = <Options extends { enabled?: unknown }>(options: Options) => ({
    ...options,
    enabled: isAsked && options.enabled !== false,
  });
  const digits = /^(?:run )?(\d{1,15})$/i.exec(words)?.[1];
  const devices = useQuery({ ...devicesQuery, refetchInterval: false, enabled: isAsked });
  const hosts = useQuery({ ...hostsQuery, refetchInterval: false, enabled: isAsked });
  const profiles = useQuery(asked(profilesQuery));
  const runs = useQuery(asked(newestRunsQuery));
  const runsFound = useQuery({ ...asked(foundRunsQuery(words)), placeholderData: keepPreviousData });
  const batches = useQuery(asked(newestBatchesQuery));
  const run = useQuery(asked(numberedRunQuery(digits === undefined ? null : Number(digits))));
  const trials = useQuery(asked(newestTrialsQuery));
  const studies = useQuery(asked(newestStudiesQuery));
  const images = useQuery({ ...asked(foundImagesQuery(nameIn(words))), placeholderData: keepPreviousData });
  const image = useQuery(asked(namedImageQuery(words)));
  const help = useHelp(navigate);
  const all: UseQueryResult[] = [
    devices,
    hosts,
    profiles,
    runs,
    runsFound,
    batches,
    run,
    trials,
    studies,
    images,
    image,
  ];
  const ofImages = [...(image.data ? [image.data] : []), ...(images.data ?? [])];
  const isFound = !runsFound.isPlaceholderData;
  const ofRuns = [
    ...(run.data ? [run.data] : []).map((each) => ofRun(each, navigate, true)),
    ...(runs.data ?? []).map((each) => ofRun(each, navigate, false)),
    ...(runsFound.data ?? []).map((each) => ofRun(each, navigate, isFound)),
  ];
  const entries = [
    ...(devices.data ?? []).flatMap((device) => ofDevice(device, navigate, may)),
    ...ofRuns,
    ...(batches.data ?? []).map((batch) => ofBatch(batch, navigate)),
    ...ofImages.flatMap((each) => ofImage(each, navigate, may("member"), !images.isPlaceholderData)),
    ...(profiles.data ?? []).flatMap((profile) => ofProfile(profile, navigate, may("member"))),
    ...(trials.data ?? []).map((trial): Entry => ({
      id: `trial ${trial.id}`,
      group: "Trials",
      title: titleOf(trial),
      note: `${trial.workloads.join(", ")}, ${trial.state}`,
      keywords: trial.arms.join(" "),
      go: () => void navigate({ to: "/trials/$trialId", params: { trialId: String(trial.id) } }),
    })),
    ...(studies.data ?? []).map((study) => ofStudy(study, navigate)),
    ...(hosts.data ?? []).map((host) => ofHost(host, navigate)),
    ...help,
  ];
  return {
    // A run or an image may have been found twice.
    entries: isAsked ? [...new Map(entries.map((entry) => [entry.id, entry])).values()] : [],
    isPending: isAsked && all.some(({ isFetching, data }) => isFetching && data === undefined),
    failed: all.find(({ isError }) => isError) ?? null,
  };
}
