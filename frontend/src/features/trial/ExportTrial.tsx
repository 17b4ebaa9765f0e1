// The files of a trial.
import { ExportMenu } from "../../shared/measured/ExportMenu";

const files = [
  { format: "csv", title: "Repetitions, CSV" },
  { format: "json", title: "Everything, JSON" },
  { format: "latex", title: "Table, LaTeX" },
] as const;

export function ExportTrial({ trial_id }: { trial_id: number }) {
  return <ExportMenu address={`/api/v1/trials/${trial_id}/export`} files={files} />;
}
