// The files of a study.
import { ExportMenu } from "../../shared/measured/ExportMenu";

const files = [
  { format: "csv", title: "Results, CSV" },
  { format: "json", title: "Everything, JSON" },
] as const;

export function ExportStudy({ study_id }: { study_id: number }) {
  return <ExportMenu address={`/api/v1/studies/${study_id}/export`} files={files} />;
}
