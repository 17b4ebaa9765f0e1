// The page of a link to one thing, for readers without an account. The secret is the part of the address behind #.
import { useQuery, type QueryKey, type UseQueryOptions } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState, type ReactNode } from "react";
import { Refusal } from "../../api/client";
import { EntryFrame } from "../../features/account/EntryFrame";
import { SharedImage } from "../../features/image/SharedImage";
import { imageQuery } from "../../features/image/queries";
import { SharedProfile } from "../../features/profile/SharedProfile";
import { profileQuery } from "../../features/profile/queries";
import { SharedRun } from "../../features/run/SharedRun";
import { watchedRunQuery } from "../../features/run/queries";
import { SharedStudy } from "../../features/study/SharedStudy";
import { studyQuery } from "../../features/study/queries";
import { SharedTrial } from "../../features/trial/SharedTrial";
import { trialQuery } from "../../features/trial/queries";
import { openedQuery } from "../../shared/link/queries";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { Soon, TextLines } from "../../shared/ui/waiting/shapes";

interface Failure {
  error: Error;
  refetch: () => unknown;
}

function Opening({ failure }: { failure: Failure | null }) {
  return (
    <EntryFrame title={failure === null ? "Opening the link" : "This link shows nothing"}>
      {failure === null ? (
        <div role="status" aria-label="Loading">
          <Soon>
            <TextLines />
          </Soon>
        </div>
      ) : (
        <RefusalNotice error={failure.error} onRetry={() => void failure.refetch()} />
      )}
    </EntryFrame>
  );
}

interface ReadProps<Data, Key extends QueryKey> {
  query: UseQueryOptions<Data, Error, Data, Key>;
  /** Opens the link once more: it may have ended since. */
  onUnauthorized: () => void;
  children: (data: Data) => ReactNode;
}

function Read<Data, Key extends QueryKey>({ query, onUnauthorized, children }: ReadProps<Data, Key>) {
  const { data, error, refetch } = useQuery(query);
  const isUnauthorized = error instanceof Refusal && error.status === 401;
  const open = useEffectEvent(onUnauthorized);
  useEffect(() => {
    if (isUnauthorized) open();
  }, [isUnauthorized]);
  if (data !== undefined) return children(data);
  return <Opening failure={error === null ? null : { error, refetch }} />;
}

export function SharedPage() {
  const [token] = useState(() => location.hash.slice(1));
  const { data, error, refetch } = useQuery(openedQuery(token));
  if (error !== null) return <Opening failure={{ error, refetch }} />;
  if (data === undefined) return <Opening failure={null} />;
  const { image_id, profile, run_id, study_id, trial_id } = data;
  const onUnauthorized = () => void refetch();
  if (image_id != null)
    return (
      <Read query={imageQuery(image_id)} onUnauthorized={onUnauthorized}>
        {(image) => <SharedImage image={image} />}
      </Read>
    );
  if (profile != null)
    return (
      <Read query={profileQuery(profile)} onUnauthorized={onUnauthorized}>
        {(found) => <SharedProfile profile={found} />}
      </Read>
    );
  if (run_id != null)
    return (
      <Read query={watchedRunQuery(run_id)} onUnauthorized={onUnauthorized}>
        {(run) => <SharedRun run={run} />}
      </Read>
    );
  if (study_id != null)
    return (
      <Read query={studyQuery(study_id)} onUnauthorized={onUnauthorized}>
        {(study) => <SharedStudy study={study} />}
      </Read>
    );
  return (
    <Read query={trialQuery(trial_id ?? 0)} onUnauthorized={onUnauthorized}>
      {(trial) => <SharedTrial trial={trial} />}
    </Read>
  );
}
