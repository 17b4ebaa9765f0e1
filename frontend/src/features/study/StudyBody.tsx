// What a study has found, on its own page and on that of a shared link.
import type { Study } from "../../api/client";
import { StudyFigures } from "./StudyFigures";
import { StudyProgress } from "./StudyProgress";
import { StudyTable } from "./StudyTable";

export function StudyBody({ study }: { study: Study }) {
  return (
    <>
      <StudyProgress study={study} />
      <StudyFigures study={study} />
      <StudyTable study={study} />
    </>
  );
}
