// One trial: its progress while it runs, its results, its method.
import { Button, Group, Menu, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Refusal, type Trial } from "../../api/client";
import { Latencies } from "../../features/trial/Latencies";
import { Method } from "../../features/trial/Method";
import { Repetitions } from "../../features/trial/Repetitions";
import { SteerTrial } from "../../features/trial/SteerTrial";
import { TrialProgress } from "../../features/trial/TrialProgress";
import { TrialResults } from "../../features/trial/TrialResults";
import { Amplifications } from "../../features/trial/Amplifications";
import { trialQuery } from "../../features/trial/queries";
import { nameOfWorkload, titleOf } from "../../features/trial/words";
import { useShareJob } from "../../shared/sharing";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { SeenBy } from "../../shared/ui/SeenBy";
import { formatTime } from "../../shared/units";
import { NotFoundPage } from "./NotFoundPage";

const exports = [
  { format: "csv", title: "Repetitions, CSV" },
  { format: "json", title: "Everything, JSON" },
  { format: "latex", title: "Table, LaTeX" },
] as const;

function ExportMenu({ trial_id }: { trial_id: number }) {
  return (
    <Menu transitionProps={{ duration: 0 }} position="bottom-end">
      <Menu.Target>
        <Button variant="default">Export</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {exports.map(({ format, title }) => (
          <Menu.Item
            key={format}
            component="a"
            href={`/api/v1/trials/${trial_id}/export?format=${format}`}
            download
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Summary({ trial }: { trial: Trial }) {
  const at = formatTime(trial.created_at);
  const { arms, workloads } = trial.settings;
  return (
    <>
      {workloads.map(nameOfWorkload).join(", ")} on{" "}
      {arms.length === 1 ? "one image" : `${arms.length} images`}, device{" "}
      <span className="mono">{trial.device.path ?? trial.device.stable_id}</span>, since{" "}
      <span title={at.exact}>{at.text}</span>
    </>
  );
}

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
              <ExportMenu trial_id={data.id} />
              <SeenBy shared={data} share={share} />
              {data.is_changeable && (
                <May needs="member">
                  <SteerTrial trial={data} />
                </May>
              )}
            </Group>
          )
        }
      >
        {data !== undefined && <Summary trial={data} />}
      </PageHeader>
      <Panel query={trial} skeleton={<Skeleton height={480} />}>
        {(found) => (
          <div className="patina-stack">
            <TrialProgress trial={found} />
            <TrialResults trial={found} />
            <Amplifications trial={found} />
            <Latencies trial={found} />
            <Method trial={found} />
            <Repetitions trial={found} />
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
