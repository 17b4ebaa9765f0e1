// The runs chosen for a comparison, with the link to it. Always shown, so that a choice does not move the layout.
import { Button } from "@mantine/core";
import { ChosenBar } from "../../../shared/ui/ChosenBar";
import { LinkButton } from "../../../shared/ui/LinkButton";
import { May } from "../../../shared/ui/May";
import { RefusalNotice } from "../../../shared/ui/RefusalNotice";
import { useArchiveRuns } from "../queries";
import { listed, RUNS_LIMIT } from "./runIds";

function sentenceOf(chosen: readonly number[]): string {
  const [only] = chosen;
  if (only === undefined) return `Choose 2 to ${RUNS_LIMIT} runs to compare them.`;
  if (chosen.length === 1) return `Run ${only} is chosen. Choose runs to compare it with.`;
  const most = chosen.length === RUNS_LIMIT ? ", the most that can be compared" : "";
  return `Runs ${listed(chosen)} are chosen${most}.`;
}

interface Props {
  chosen: readonly number[];
  /** Whether the list shows the archive. */
  isArchive: boolean;
  onClear: () => void;
}

export function ChosenRuns({ chosen, isArchive, onClear }: Props) {
  const archive = useArchiveRuns(!isArchive);
  const mayCompare = chosen.length >= 2;
  return (
    <ChosenBar
      label="Chosen runs"
      sentence={sentenceOf(chosen)}
      isAtEnd
      refusal={archive.isError && <RefusalNotice error={archive.error} />}
    >
      <Button variant="subtle" disabled={chosen.length === 0} onClick={onClear}>
        Clear selection
      </Button>
      <May needs="member">
        <Button
          variant="default"
          disabled={chosen.length === 0}
          loading={archive.isPending}
          onClick={() => archive.mutate(chosen, { onSuccess: onClear })}
        >
          {isArchive ? "Show in the list again" : "Archive"}
        </Button>
      </May>
      {mayCompare ? (
        <LinkButton to="/runs/compare" search={{ ids: chosen.toSorted((one, other) => one - other).join() }}>
          Compare {chosen.length} runs
        </LinkButton>
      ) : (
        <Button disabled>Compare runs</Button>
      )}
    </ChosenBar>
  );
}
