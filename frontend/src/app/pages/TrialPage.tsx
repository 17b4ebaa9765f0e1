// One trial: its progress while it runs, its results, its method.
import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Refusal } from "../../api/client";
import { ExportTrial } from "../../features/trial/ExportTrial";
import { SteerTrial } from "../../features/trial/SteerTrial";
import { trialQuery } from "../../features/trial/queries";
import { TrialBody } from "../../features/trial/TrialBody";
import { TrialSummary } from "../../features/trial/TrialSummary";
import { titleOf } from "../../features/trial/words";
import { useShareJob } from "../../shared/sharing";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { ShareWith } from "../../shared/link/ShareWith";
import { NotFoundPage } from "./NotFoundPage";
import { FigureLines } from "../../shared/ui/waiting/shapes";

function ExistingTrial({ trial_id }: { trial_id: number }) {
  const trial = useQuery(trialQuery(trial_id));
  const share = useShareJob(trial_id);
  if (trial.error instanceof Refusal && trial.error.code === "job_unknown") return <NotFoundPage />;
  const data = trial.data;
  return (
    <>
      <PageHeader
        title={data === undefined ? `Trial ${trial_id}` : titleOf(data)}
        {...(data !== undefined && { tab: `${data.state} · ${titleOf(data)}` })}
        action={
          data !== undefined && (
            <Group gap="xs">
              <May needs="member">
                <LinkButton to="/trials/new" search={{ like: data.id }} variant="default">
                  Run this again
                </LinkButton>
              </May>
              <ExportTrial trial_id={data.id} />
              <ShareWith
                shared={data}
                share={share}
                shown={{ job_id: data.id }}
                what="this trial and its results"
              />
              {data.is_changeable && (
                <May needs="member">
                  <SteerTrial trial={data} />
                </May>
              )}
            </Group>
          )
        }
      >
        {data !== undefined && <TrialSummary trial={data} />}
      </PageHeader>
      <Panel query={trial} skeleton={<FigureLines />}>
        {(found) => (
          <div className="patina-stack">
            <TrialBody trial={found} />
          </div>
        )}
      </Panel>
    </>
  );
}

export function TrialPage() {
  const id = useParams({ from: "/trials/$trialId" }).trialId;
  const trial_id = Number(id);
  if (!Number.isSafeInteger(trial_id) || trial_id < 1) return <NotFoundPage />;
  return <ExistingTrial key={trial_id} trial_id={trial_id} />;
}
