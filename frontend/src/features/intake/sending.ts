// Sends a file in pieces, on any page; after a lost connection it continues from the bytes that the server has.
import { client, read, Refusal, type Intake } from "../../api/client";

export const PIECE_BYTES = 4 * 2 ** 20;
const LONGEST_PAUSE_MS = 15_000;
const RETRIED = ["unreachable", "offset_mismatch", "upload_under_way"];

/** The state of this window's upload for an intake. */
export interface Sending {
  state: "sending" | "waiting" | "stopped";
  refusal: unknown;
}

const sendings = new Map<number, Sending>();
const aborts = new Map<number, AbortController>();
const listeners = new Set<() => void>();

export function sendingOf(intake_id: number): Sending | undefined {
  return sendings.get(intake_id);
}

export function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(intake_id: number, sending: Sending | null) {
  if (sending === null) sendings.delete(intake_id);
  else sendings.set(intake_id, sending);
  for (const listener of listeners) listener();
}

function sendPiece(intake_id: number, file: File, offset: number, signal: AbortSignal): Promise<Intake> {
  return read(
    client.PATCH("/api/v1/intakes/{intake_id}/file", {
      params: { path: { intake_id }, header: { "upload-offset": offset } },
      // The schema calls bytes a string.
      body: file.slice(offset, offset + PIECE_BYTES) as unknown as string,
      bodySerializer: (body) => body,
      headers: { "Content-Type": "application/octet-stream" },
      signal,
    }),
  );
}

function pause(tries: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, 500 * 2 ** tries));
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Returns the offset to continue from, once the server answers; null when the upload cannot continue. */
async function placeAfter(
  error: unknown,
  intake_id: number,
  tries: number,
  signal: AbortSignal,
): Promise<number | null> {
  if (!(error instanceof Refusal) || !RETRIED.includes(error.code)) throw error;
  tell(intake_id, { state: "waiting", refusal: error });
  await pause(tries, signal);
  try {
    const path = { intake_id };
    return (await read(client.GET("/api/v1/intakes/{intake_id}", { params: { path } }))).received_bytes;
  } catch (silence) {
    if (silence instanceof Refusal && silence.code === "unreachable") return null;
    throw silence;
  }
}

async function sendAll(intake: Intake, file: File, signal: AbortSignal): Promise<void> {
  const isOver = () => signal.aborted;
  let offset = intake.received_bytes;
  let tries = 0;
  while (offset < intake.size_bytes && !isOver()) {
    try {
      offset = (await sendPiece(intake.id, file, offset, signal)).received_bytes;
      tries = 0;
      tell(intake.id, { state: "sending", refusal: null });
    } catch (error) {
      if (isOver()) return;
      offset = (await placeAfter(error, intake.id, tries, signal)) ?? offset;
      tries += 1;
    }
  }
  if (isOver()) return;
  const path = { intake_id: intake.id };
  await read(client.POST("/api/v1/intakes/{intake_id}/finish", { params: { path }, body: { sha256: null } }));
}

/** Sends the file until it is complete and queued, or stopped. A refusal is kept and shown. */
export async function send(intake: Intake, file: File): Promise<void> {
  if ((sendings.get(intake.id)?.state ?? "stopped") !== "stopped") return;
  const abort = new AbortController();
  aborts.set(intake.id, abort);
  tell(intake.id, { state: "sending", refusal: null });
  remember(intake, file);
  try {
    await sendAll(intake, file, abort.signal);
    tell(intake.id, null);
  } catch (refusal) {
    tell(intake.id, { state: "stopped", refusal });
  }
}

export function stopSending(intake_id: number): void {
  aborts.get(intake_id)?.abort();
  tell(intake_id, null);
}

const noteOf = (intake_id: number) => `patina-intake-${intake_id}`;
const markOf = (file: File) => `${file.name} ${file.size} ${file.lastModified}`;

function remember(intake: Intake, file: File): void {
  localStorage.setItem(noteOf(intake.id), markOf(file));
}

/** Reports whether this is the original file, as far as a browser can check, so that two files are not mixed. */
export function isSameFile(intake: Intake, file: File): boolean {
  const begun = localStorage.getItem(noteOf(intake.id));
  return begun === null
    ? file.name === intake.request.file_name && file.size === intake.size_bytes
    : begun === markOf(file);
}
