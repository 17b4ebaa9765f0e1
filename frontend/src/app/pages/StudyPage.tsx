// One study: its progress while it runs, its figures, its cells.
import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Refusal, type Study } from "../../api/client";
import { ExportStudy } from "../../features/study/ExportStudy";
import { SteerStudy } from "../../features/study/SteerStudy";
import { StudyBody } from "../../features/study/StudyBody";
import { StudySummary } from "../../features/study/StudySummary";
import { studyQuery } from "../../features/study/queries";
import { titleOf } from "../../features/study/words";
import { ShareWith } from "../../shared/link/ShareWith";
import { useShareJob } from "../../shared/sharing";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { FigureLines } from "../../shared/ui/waiting/shapes";
import { NotFoundPage } from "./NotFoundPage";

function Actions({ study }: { study: Study }) {
  const share = useShareJob(study.id);
  return (
    <Group gap="xs">
      <May needs="member">
        <LinkButton to="/studies/new" search={{ like: study.id }} variant="default">
          Run this again
        </LinkButton>
      </May>
      <ExportStudy study_id={study.id} />
      <ShareWith
        shared={study}
        share={share}
        shown={{ job_id: study.id }}
        what="this study and its results"
      />
      {study.is_changeable && (
        <May needs="member">
          <SteerStudy study={study} />
        </May>
      )}
    </Group>
  );
}

function ExistingStudy({ study_id }: { study_id: number }) {
  const study = useQuery(studyQuery(study_id));
  if (study.error instanceof Refusal && study.error.code === "job_unknown") return <NotFoundPage />;
  const data = study.data;
  return (
    <>
      <PageHeader
        title={data === undefined ? `Study ${study_id}` : titleOf(data)}
        {...(data !== undefined && { tab: `${data.state} · ${titleOf(data)}` })}
        action={data !== undefined && <Actions study={data} />}
      >
        {data !== undefined && <StudySummary study={data} />}
      </PageHeader>
      <Panel query={study} skeleton={<FigureLines />}>
        {(found) => (
          <div className="patina-stack">
            <StudyBody study={found} />
          </div>
        )}
      </Panel>
    </>
  );
}

export function StudyPage() {
  const id = useParams({ from: "/studies/$studyId" }).studyId;
  const study_id = Number(id);
  if (!Number.isSafeInteger(study_id) || study_id < 1) return <NotFoundPage />;
  return <ExistingStudy key={study_id} study_id={study_id} />;
}
