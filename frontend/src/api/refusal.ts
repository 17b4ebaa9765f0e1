// What to tell a person about each refusal: a title that says what happened, and what to do next.
import { Refusal } from "./client";

interface Explanation {
  title: string;
  sentence: string;
  next: string | null;
}

const known: Record<string, readonly [title: string, next: string | null]> = {
  unreachable: ["No answer from the server", "Nothing you entered is lost. Try again in a moment."],
  device_busy: ["This device is in use", "Wait until it is free, or stop what holds it."],
  device_protected: ["This device is protected", null],
  device_not_ready: ["This device is not ready yet", "Wait until its card says available."],
  device_unknown: ["This device is gone", "Go back to the list of devices."],
  confirmation_mismatch: ["The confirmation does not match", "Check the device and confirm it again."],
  idempotency_key_reused: ["This confirmation was already used", "Close this window and start again."],
  sandbox_quota_exceeded: ["No room for another sandbox device", "Remove one, or choose a smaller size."],
  not_a_sandbox: ["Not a sandbox device", null],
  host_unknown: ["No host can do this", "Start a worker; its host then appears in the rail."],
  profile_unknown: ["No such profile", "Choose another profile."],
  profile_exists: ["This name is taken", "Choose another name."],
  profile_invalid: ["This is no profile yet", "Mend what is said, then save again."],
  profile_changed: ["Somebody saved this profile meanwhile", null],
  profile_read_only: ["Built-in profiles are read-only", "Save it as a new profile."],
  profile_in_use: [
    "This profile is in use",
    "Archive it: it leaves the gallery and stays with what was made of it.",
  ],
  precondition_required: ["The page is older than the server", "Reload the page."],
  version_unchanged: ["Nothing has changed", "The latest version has the same histograms."],
  version_unknown: ["No such version", "Choose one of those in the list."],
  file_not_understood: ["This file was not understood", "Take a file in one of the formats named below."],
  file_too_large: ["The file is too large", null],
  archive_refused: ["The archive was not opened", null],
  fitter_unavailable: ["The fitting does not answer", "Try again in a moment."],
  fit_impossible: ["No such distribution fits", "Choose other bars, or give the parameters."],
  scan_unknown: ["No such scan", "Start it again."],
  scan_not_allowed: ["This directory may not be scanned", "Choose one of the host's scan folders, or below."],
  not_resumable: ["The run cannot go on", "Start a new run with the same settings."],
  not_extendable: ["The run cannot be aged further", null],
  nothing_to_extend: ["Nothing would be added", null],
  checkpoint_missing: ["The checkpoint is gone", "Start a new run with the same settings."],
  too_late_to_steer: ["Too late to steer the run", null],
  device_too_small: ["The device is too small", "Choose ext4, or a larger device."],
  capture_mode_unsupported: ["This file system cannot be captured so", "Choose what else the image keeps."],
  memory_too_small: ["Not enough memory on this host", "Age on the device itself."],
  simulation_under_way: ["Somebody else is simulating", "Try again in some seconds."],
  scan_under_way: ["A scan is under way on this host", "Wait until it has ended, or call it off."],
  scan_ended: ["This scan has ended", null],
  profile_does_not_fit: ["The profile does not fit", "Choose a larger device or another profile."],
  core_unavailable: ["The native core does not answer", "Build it with make native, then try again."],
  request_invalid: ["The server did not accept this", "Correct the value and try again."],
  run_unknown: ["No such run", "Look for it in the list of runs."],
  batch_unknown: ["No such batch", "Look for its runs in the list of runs."],
  batch_refused: [
    "No run was started",
    "Mend what is said of each device, or leave it out; then start again.",
  ],
  image_unknown: ["No such image", "Look for it in the catalog."],
  layout_unknown: ["The layout was not measured", null],
  image_not_named: ["No image chosen", "Choose an image."],
  image_too_large: ["The image does not fit", "Choose a device that is as large."],
  holds_no_image: ["Nobody knows what the device holds", "Restore an image to it, or verify one."],
  holds_delta: ["The device was written to since", "Roll it back, or keep it as an image."],
  nothing_to_roll_back: ["Nothing to roll back", "Verify it to compare every byte."],
  image_in_use: ["This image is in use", "Wait until nobody works with it."],
  collection_under_way: ["A collection is under way", "Wait until it is done."],
  nothing_to_capture: ["Nothing to capture", null],
  intake_unknown: ["No such import", null],
  intake_ended: ["This import has ended", "Import the file anew."],
  intake_quota_exceeded: ["No room for this file", "Wait until others are in, or cancel one."],
  image_name_taken: ["This name is taken", "Choose another name."],
  offset_mismatch: ["The server has other bytes", "Choose the file again to go on."],
  upload_under_way: ["The file is being sent already", "Another window may be sending it."],
  upload_incomplete: ["The file has not come whole", "Choose it again to go on."],
  upload_too_long: ["The file has grown", "Import it anew."],
  spool_full: ["The server's disk is full", "What has come is kept. Go on once there is room."],
  format_contradicted: ["Another format than was said", null],
  qcow2_needs_more: ["The qcow2 file is not the whole image", null],
  file_damaged: ["The file is damaged", null],
  image_size_refused: ["No size for an image", null],
  digest_mismatch: ["Not the file that was sent", null],
  spool_missing: ["The file is gone from the server", "Import it anew."],
  file_changed: ["Not the file that was begun", null],
  action_unknown: ["No such action", null],
  manifest_corrupt: ["The image's manifest is damaged", "Restore its row from a backup of the database."],
  index_missing: ["The image's index is missing", null],
  index_invalid: ["The image's index is damaged", null],
  chunk_missing: ["A chunk of this image is missing", null],
  chunk_corrupt: ["A chunk of this image is damaged", null],
  bucket_unreachable: ["The bucket does not answer", "Try again when it does."],
  bucket_full: ["The bucket is full", "Make room in it, then try again."],
  bucket_missing: ["There is no such bucket", "Check PATINA_STORE_BUCKET."],
  bucket_refused: ["The bucket refuses the key", "Check the key and what it may do."],
  bucket_changed: ["The bucket changed meanwhile", "Try again."],
  bucket_failed: ["The bucket failed", null],
  chunk_replaced: ["The store changed meanwhile", null],
  server_stopping: ["The server is stopping", null],
  state_conflict: ["The run has moved on", null],
  webhook_unknown: ["No such webhook", "Somebody may have removed it."],
  webhook_address_refused: ["Webhooks may not reach this address", null],
  webhook_disabled: ["This webhook is off", "Switch it on first."],
  too_many_webhooks: ["Too many webhooks", null],
  delivery_unknown: ["No such delivery", "It may have been removed: deliveries are kept for thirty days."],
  origin_refused: ["The server refused this page", "Open Patina under the address that it listens on."],
  host_not_trusted: ["The server refused this address", "Open Patina under the address that it listens on."],
};

/** An unknown code keeps the server's own sentence. */
export function explain(error: unknown): Explanation {
  if (!(error instanceof Refusal)) {
    const sentence = error instanceof Error ? error.message : "An unknown error.";
    return { title: "This page made a mistake", sentence, next: "Reload the page." };
  }
  const [title, next] = known[error.code] ?? ["The server refused", null];
  return { title, sentence: error.message, next };
}
