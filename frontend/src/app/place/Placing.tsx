// What a device is being chosen for: an image to restore, a run to repeat, or a profile; with the way out.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Run } from "../../api/client";
import { imagesOfQuery } from "../../features/image/queries";
import { profilesQuery } from "../../features/profile/queries";
import { runQuery } from "../../features/run/queries";
import { goalOf } from "../../shared/goal";
import { agingModes } from "../../shared/modes";
import { ChosenBar } from "../../shared/ui/ChosenBar";
import { LinkButton } from "../../shared/ui/LinkButton";
import { bytes, formatBytes, formatFraction, fraction } from "../../shared/units";
import type { Preferred } from "../age/preferred";

/** Reports whether something was chosen that is to be placed on a device. */
export function isPlacing({ profile, like, replay_of, restore }: Preferred): boolean {
  return [profile, like, replay_of, restore].some((choice) => choice !== undefined);
}

function RunLink({ run_id }: { run_id: number }) {
  return (
    <Link to="/runs/$runId" params={{ runId: String(run_id) }} className="patina-link">
      run {run_id}
    </Link>
  );
}

/** Returns the settings that decide what a repeated run is. */
function settingsOf(run: Run, mode: Preferred["mode"]): string {
  const version = run.profile === null ? "" : `, version ${run.profile_version_number}`;
  const size = formatBytes(bytes(run.device.size_bytes)).text;
  return `${goalOf(run)}${version}, ${run.file_system}, mode ${agingModes[mode ?? run.mode].label}, seed ${run.seed}; its device had ${size}`;
}

function PlacingRun({ run_id, mode }: { run_id: number; mode: Preferred["mode"] }) {
  const run = useQuery(runQuery(run_id, 0));
  return (
    <>
      Choose a device to age as <RunLink run_id={run_id} /> did
      {run.data !== undefined && <>: {settingsOf(run.data, mode)}</>}.
    </>
  );
}

function PlacingImage({ image_id }: { image_id: number }) {
  const images = useQuery(imagesOfQuery([image_id]));
  const image = images.data?.[0];
  const name = image?.name ?? `image ${image_id}`;
  return (
    <>
      Choose a device to restore{" "}
      <Link to="/images/$imageId" params={{ imageId: String(image_id) }} className="patina-link">
        {name}
      </Link>{" "}
      to{image !== undefined && <>: it needs {formatBytes(bytes(image.size_bytes)).text}</>}.
    </>
  );
}

function PlacingProfile({ profile, version, max_rmse }: Preferred & { profile: string }) {
  const profiles = useQuery(profilesQuery);
  const found = profiles.data?.find(({ name }) => name === profile);
  return (
    <>
      Choose a device to age to{" "}
      <Link to="/profiles/$name" params={{ name: profile }} className="patina-link">
        {found?.title ?? profile}
      </Link>
      {version !== undefined && `, version ${version}`}
      {max_rmse !== undefined && `, to an age RMSE of ${formatFraction(fraction(max_rmse)).text}`}.
    </>
  );
}

function What({ preferred }: { preferred: Preferred }) {
  const { profile, like, mode, replay_of, survivors, restore } = preferred;
  if (restore !== undefined) return <PlacingImage image_id={restore} />;
  if (replay_of !== undefined)
    return survivors === true ? (
      <>
        Choose a device for the unaged twin of <RunLink run_id={replay_of} />: the files that it left, created
        once.
      </>
    ) : (
      <>
        Choose a device to replay <RunLink run_id={replay_of} /> on; a larger one makes its empty twin.
      </>
    );
  if (like !== undefined) return <PlacingRun run_id={like} mode={mode} />;
  return profile === undefined ? null : <PlacingProfile {...preferred} profile={profile} />;
}

export function Placing({ preferred }: { preferred: Preferred }) {
  return (
    <ChosenBar label="Choosing a device" sentence={<What preferred={preferred} />}>
      <LinkButton variant="default" to="/devices" search={{}}>
        Cancel
      </LinkButton>
    </ChosenBar>
  );
}
