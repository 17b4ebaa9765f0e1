// Scans a directory tree into histograms: the host's worker walks it and returns numbers only.
import { Autocomplete, Button, Group, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { Host, Scan, ScanCreate, ScanSummary } from "../../../api/client";
import { isAtRest } from "../../../shared/job";
import { Copyable } from "../../../shared/ui/Copyable";
import { Dialog } from "../../../shared/ui/Dialog";
import { Empty } from "../../../shared/ui/Empty";
import { Figures } from "../../../shared/ui/Figures";
import { Exact } from "../../../shared/ui/Exact";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { bytes, count, formatBytes, formatCount } from "../../../shared/units";
import { histogramsOf, type EditedHistograms } from "../editor/draft/bin";
import { missing, useRequired } from "../saving/useRequired";
import { scanQuery, useCancelScan, useStartScan } from "./queries";
import classes from "./Sources.module.css";
import { agesOf, leftOutOf } from "./leftOut";

interface Props {
  hosts: readonly Host[];
  /** How a folder is allowed on a host. */
  allowing: ReactNode;
  onTake: (histograms: EditedHistograms) => void;
  /** Opens the file of a scan elsewhere. */
  onOpen: () => void;
  onClose: () => void;
}

function Found({ scan }: { scan: Scan }) {
  const found = scan.result;
  if (found === null && scan.error_code !== null) return null;
  if (found === null) return <p className="patina-quiet">{scan.message}</p>;
  return (
    <Figures
      label="Found"
      items={[
        { label: "Files", value: <Exact value={formatCount(count(found.files_count))} /> },
        { label: "Directories", value: <Exact value={formatCount(count(found.directories_count))} /> },
        { label: "Bytes", value: <Exact value={formatBytes(bytes(found.bytes))} /> },
        {
          label: "Not readable",
          value: formatCount(count(found.unreadable_files_count + found.unreadable_directories_count)).text,
        },
      ]}
    />
  );
}

function LeftOut({ summary }: { summary: ScanSummary }) {
  const sentences = leftOutOf(summary);
  if (sentences.length === 0) return <p>No entry was left out.</p>;
  return (
    <>
      <p>These histograms differ from the directory:</p>
      <ul className={classes.notes}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}

/** Returns words as a sentence: the core's errors begin small and end without a full stop. */
function sentenceOf(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${words.endsWith(".") ? "" : "."}`;
}

interface FormProps extends Pick<Props, "hosts"> {
  /** The last scan of this dialog, to be changed. */
  last: ScanCreate | undefined;
  isPending: boolean;
  onStart: (host_name: string, directory: string) => void;
}

function ScanForm({ hosts, last, onStart, isPending }: FormProps) {
  const [host_name, setHost] = useState(last?.host_name ?? hosts[0]?.name ?? "");
  const folders = hosts.find(({ name }) => name === host_name)?.scan_folders ?? [];
  const [typed, setTyped] = useState<string | null>(last?.directory ?? null);
  const directory = typed ?? folders[0] ?? "";
  const errors = { directory: missing(directory, "Name the directory to scan") };
  const { form, shown } = useRequired(errors, () => onStart(host_name, directory));
  return (
    <form {...form}>
      <Stack gap="md">
        <p>
          The host&apos;s worker reads the size, depth and age of every file and opens none. A profile
          contains three histograms: no names, paths or owners.
        </p>
        <Select
          label="Host"
          data={hosts.map(({ name }) => name)}
          value={host_name}
          onChange={(value) => {
            setHost(value ?? host_name);
            setTyped(null);
          }}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
        <Autocomplete
          label="Directory"
          required
          error={shown?.directory}
          description={`${folders.join(", ")}, or any directory below`}
          classNames={{ input: "mono" }}
          data={folders}
          value={directory}
          onChange={setTyped}
          // Opens above the field, so that it does not cover the button below.
          comboboxProps={{ position: "top", transitionProps: { duration: 0 } }}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            Scan {directory}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ScanUnderWay({
  scan_id,
  onTake,
  onAgain,
}: {
  scan_id: number;
  onTake: Props["onTake"];
  onAgain: () => void;
}) {
  const scan = useQuery(scanQuery(scan_id));
  const cancel = useCancelScan();
  if (scan.data === undefined)
    return scan.isError ? <RefusalNotice error={scan.error} onRetry={() => void scan.refetch()} /> : null;
  const { state, request, result, error_code, message } = scan.data;
  return (
    <Stack gap="md">
      <p role="status">
        <span className="mono">{request.directory}</span>: {state}
      </p>
      <Found scan={scan.data} />
      {error_code !== null && (
        <p role="alert">
          {sentenceOf(message)} Check the name of the directory, and that it is on host {request.host_name}.
        </p>
      )}
      {result !== null && <LeftOut summary={result} />}
      {result !== null && <p>{agesOf(result)}</p>}
      <Group justify="flex-end" gap="xs">
        {!isAtRest(scan.data.state) && (
          <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(scan_id)}>
            Stop the scan
          </Button>
        )}
        {isAtRest(scan.data.state) && (
          <Button variant="default" onClick={onAgain}>
            Scan another directory
          </Button>
        )}
        {result !== null && (
          <Button onClick={() => onTake(histogramsOf(result.profile))}>Take the histograms</Button>
        )}
      </Group>
      {cancel.isError && <RefusalNotice error={cancel.error} />}
    </Stack>
  );
}

const ELSEWHERE = "patina-core scan /srv/projects | tail -n 1 > projects.json";

/** The core is one program without dependencies: it scans where no worker runs. */
function ScanElsewhere({ onOpen }: Pick<Props, "onOpen">) {
  return (
    <section aria-labelledby="scan-elsewhere" className={classes.elsewhere}>
      <h3 id="scan-elsewhere">On a machine that is no host</h3>
      <p>
        Copy the program <code>patina-core</code> there: it is in <code>native/build</code> of Patina&apos;s
        folder, with the Debian package <code>/usr/lib/patina</code>. Scan the directory, and open the file
        that it writes: it contains numbers only.
      </p>
      <Copyable text={ELSEWHERE} what="the command" />
      <Group justify="flex-end">
        <Button variant="default" size="xs" onClick={onOpen}>
          Open the file of a scan…
        </Button>
      </Group>
    </section>
  );
}

export function ScanDialog({ hosts, allowing, onTake, onOpen, onClose }: Props) {
  const start = useStartScan();
  const [last, setLast] = useState<ScanCreate>();
  const able = hosts.filter(({ scan_folders }) => scan_folders.length > 0);
  return (
    <Dialog onClose={onClose} size="lg" title="Scan a directory">
      {able.length === 0 ? (
        <Empty title="No host allows a folder to be scanned">
          {allowing}
          <p role="status">Waiting for a folder: it appears here within 10 seconds of the command.</p>
        </Empty>
      ) : start.data === undefined ? (
        <>
          <ScanForm
            hosts={able}
            last={last}
            isPending={start.isPending}
            onStart={(host_name, directory) => {
              setLast({ host_name, directory });
              start.mutate({ host_name, directory });
            }}
          />
          {start.isError && <RefusalNotice error={start.error} />}
          <details className={classes.allowing}>
            <summary>Scan another folder</summary>
            {allowing}
          </details>
        </>
      ) : (
        <ScanUnderWay scan_id={start.data.id} onTake={onTake} onAgain={() => start.reset()} />
      )}
      {start.data === undefined && <ScanElsewhere onOpen={onOpen} />}
    </Dialog>
  );
}
