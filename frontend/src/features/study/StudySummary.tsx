// What a study simulates, in a line.
import type { Study } from "../../api/client";
import { bytes, formatBytes, formatTime } from "../../shared/units";
import { subjectOf } from "./words";

export function StudySummary({ study }: { study: Study }) {
  const { settings, cells, host } = study;
  const at = formatTime(study.created_at);
  const size = formatBytes(
    bytes((settings.kind === "capacity" ? settings.usable_bytes : settings.size_bytes) ?? 0),
  );
  return (
    <>
      {subjectOf({ study_kind: settings.kind })}: {cells.length} {cells.length === 1 ? "cell" : "cells"},{" "}
      {settings.seeds_count} {settings.seeds_count === 1 ? "seed" : "seeds"} each,{" "}
      {settings.kind === "capacity" ? (
        <>
          <span title={size.exact}>{size.text}</span> of files,{" "}
          {settings.operations_count?.toLocaleString("en-GB")} operations
        </>
      ) : (
        <>
          a disk of <span title={size.exact}>{size.text}</span>, written {settings.times} times at most
        </>
      )}
      , DNOR {settings.dnor_blocks}; simulated on host {host.name}, since{" "}
      <span title={at.exact}>{at.text}</span>
    </>
  );
}
