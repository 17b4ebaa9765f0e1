// How a trial was measured: everything that another must know to judge or repeat it.
import { Box } from "@mantine/core";
import type { Trial } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import { Figures, type FigureItem } from "../../shared/ui/Figures";
import { bytes, formatBytes } from "../../shared/units";
import { nameOfWorkload } from "./words";

function workloadLine(workload: Trial["settings"]["workloads"][number]): string {
  const name = nameOfWorkload(workload);
  if (workload.kind === "personality") {
    const files =
      workload.files_count == null ? "" : `, ${workload.files_count.toLocaleString("en-GB")} files`;
    return `${name}: ${workload.seconds} s after ${workload.warm_up_s} s of warm-up${files}`;
  }
  if (workload.kind === "postmark") {
    return `${name}: ${workload.files_count} files, ${workload.transactions_count} transactions`;
  }
  if (workload.kind === "git") {
    const from = workload.repository ?? `a synthetic repository of ${workload.files_count} files`;
    return `${name}: ${workload.pulls_count} pulls of ${from}, measured every ${workload.grep_every}`;
  }
  if (workload.kind === "command")
    return `${name}: ${[workload.program, ...(workload.arguments ?? [])].join(" ")}`;
  return name;
}

/** Returns the programs that it was measured with, and their versions. */
function programsOf({ environment }: Trial): string {
  if (environment === null) return "";
  const programs = Object.entries(environment.tools).map(([tool, version]) => `${tool} ${version}`);
  return [`Patina ${environment.patina_version}`, ...programs].join(", ");
}

/** Returns a reference to the trial, with the digest that its export can be compared with. */
export function citationOf(trial: Trial, origin: string): string {
  const { id, finished_at, result, environment } = trial;
  const day = finished_at?.slice(0, 10) ?? "not finished";
  const version = environment === null ? "" : ` ${environment.patina_version}`;
  const digest = result?.digest == null ? "" : ` SHA-256 ${result.digest}.`;
  const title = trial.name === "" ? "" : `${trial.name}. `;
  return `${title}Trial ${id}, Patina${version}, ${day}. ${origin}/trials/${id}.${digest}`;
}

function machineOf(trial: Trial): FigureItem[] {
  const found = trial.environment;
  if (found === null) return [];
  return [
    {
      label: "Host",
      value: found.host,
      note: `${found.cores_count} cores, ${formatBytes(bytes(found.memory_bytes)).text}`,
    },
    { label: "Processor", value: found.cpu },
    { label: "Kernel", value: <span className="mono">{found.kernel}</span> },
    {
      label: "Device",
      value: <span className="mono">{found.device_path}</span>,
      note: `${found.device_model ?? (found.device_medium === null ? "" : `sandbox in ${found.device_medium}`)}, ${formatBytes(bytes(found.device_size_bytes)).text}`,
    },
    { label: "I/O scheduler", value: found.io_scheduler ?? "unknown" },
    {
      label: "Read-ahead",
      value: found.readahead_bytes === null ? "unknown" : formatBytes(bytes(found.readahead_bytes)).text,
    },
    { label: "Write cache", value: found.write_cache ?? "unknown" },
  ];
}

export function Method({ trial }: { trial: Trial }) {
  const { settings } = trial;
  const disturbed = trial.figures.reduce((sum, figure) => sum + figure.disturbed_count, 0);
  const items: FigureItem[] = [
    { label: "Repetitions", value: settings.repetitions_count, note: "of each workload on each image" },
    { label: "Order", value: "random, in complete blocks", note: `seed ${settings.seed ?? ""}` },
    { label: "Before each", value: "restored or rolled back", note: "caches emptied by unmounting" },
    { label: "Trace", value: settings.is_traced ? "on" : "off" },
    { label: "Background", value: disturbed === 0 ? "quiet" : `${disturbed} repetitions disturbed` },
    ...machineOf(trial),
  ];
  return (
    <section aria-labelledby="method">
      <div className="patina-section">
        <h2 id="method">Method</h2>
      </div>
      <Figures items={items} label="Method" />
      <Box
        component="ul"
        mt="md"
        className="patina-list patina-quiet"
        aria-label="Workloads"
        style={{ overflowWrap: "anywhere" }}
      >
        {settings.workloads.map((workload) => (
          <li key={nameOfWorkload(workload)}>{workloadLine(workload)}</li>
        ))}
      </Box>
      <Box component="p" mt="md" className="patina-quiet">
        {programsOf(trial)}
      </Box>
      {trial.result !== null && (
        <Box component="p" mt="md">
          Cite as: <Copyable what="citation" text={citationOf(trial, globalThis.location.origin)} />
        </Box>
      )}
    </section>
  );
}
