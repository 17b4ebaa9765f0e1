// The comparison of 2 to 6 runs; the address names them.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { listed, RUNS_LIMIT, runIdsOf, type RunIds } from "../../features/run/compare/runIds";
import { Empty } from "../../shared/ui/Empty";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Comparison } from "../compare/Comparison";

function titleOf(asked: RunIds): string {
  return asked.kind === "runs" ? `Compare runs ${listed(asked.ids)}` : "Compare runs";
}

/** Explains why the address names no comparison, and links to the choice of runs. */
function Instead({ asked }: { asked: Exclude<RunIds, { kind: "runs" }> }) {
  if (asked.kind === "too many")
    return (
      <Empty
        title={`Too many runs: ${asked.ids.length}`}
        action={
          <LinkButton to="/runs/compare" search={{ ids: asked.ids.slice(0, RUNS_LIMIT).join() }}>
            Compare the first {RUNS_LIMIT}
          </LinkButton>
        }
      >
        {`One plot shows at most ${RUNS_LIMIT} runs.`}
      </Empty>
    );
  if (asked.kind === "no number")
    return (
      <Empty
        title={`“${asked.word}” is not a run number`}
        action={<LinkButton to="/runs">Choose runs</LinkButton>}
      >
        Choose runs from the list, or use their numbers in the address.
      </Empty>
    );
  const [only] = asked.ids;
  return (
    <Empty
      title={only === undefined ? "No runs chosen" : `Run ${only} needs another run to compare with`}
      action={
        <LinkButton to="/runs" search={only === undefined ? {} : { chosen: String(only) }}>
          {only === undefined ? "Choose runs" : `Choose runs to compare with run ${only}`}
        </LinkButton>
      }
    >
      {`Choose 2 to ${RUNS_LIMIT} runs: their curves are drawn over each other, their figures stand side by side.`}
    </Empty>
  );
}

export function CompareRunsPage() {
  const { ids: text = "" } = useSearch({ from: "/runs/compare" });
  const navigate = useNavigate();
  const asked = runIdsOf(text);
  if (asked.kind !== "runs")
    return (
      <>
        <PageHeader title={titleOf(asked)} />
        <Instead asked={asked} />
      </>
    );
  const { ids } = asked;
  const leaveOut = (run_id: number) =>
    void navigate({ to: "/runs/compare", search: { ids: ids.filter((id) => id !== run_id).join() } });
  return (
    <>
      <PageHeader
        title={titleOf(asked)}
        action={
          <LinkButton variant="default" to="/runs" search={{ chosen: ids.join() }}>
            Choose other runs
          </LinkButton>
        }
      />
      <Comparison key={ids.join()} run_ids={ids} onLeaveOut={leaveOut} />
    </>
  );
}
