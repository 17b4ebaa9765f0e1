// How far a study is, and what it does now.
import { Progress } from "@mantine/core";
import type { Study } from "../../api/client";
import { isEnded, toneOf } from "../../shared/job";
import { StateMark } from "../../shared/ui/StateMark";

export function StudyProgress({ study }: { study: Study }) {
  const { state, message, done_count, total_count, error_log } = study;
  return (
    <div role="status">
      <p>
        <StateMark tone={toneOf[state]}>{state}</StateMark> {message}
      </p>
      {!isEnded(state) && (
        <Progress value={(done_count / Math.max(1, total_count)) * 100} aria-label="Results so far" mt="xs" />
      )}
      <p className="patina-quiet">
        {done_count.toLocaleString("en-GB")} of {total_count.toLocaleString("en-GB")} results
      </p>
      {error_log !== null && <pre>{error_log}</pre>}
    </div>
  );
}
