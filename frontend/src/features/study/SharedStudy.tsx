// A study as its link shows it.
import type { Study } from "../../api/client";
import { SharedFrame } from "../../shared/ui/SharedFrame";
import { ExportStudy } from "./ExportStudy";
import { StudyBody } from "./StudyBody";
import { StudySummary } from "./StudySummary";
import { titleOf } from "./words";

export function SharedStudy({ study }: { study: Study }) {
  return (
    <SharedFrame
      title={titleOf(study)}
      about={<StudySummary study={study} />}
      accountName={study.account_name}
      action={<ExportStudy study_id={study.id} />}
    >
      <StudyBody study={study} />
    </SharedFrame>
  );
}
