// The two profiles chosen for a comparison, with the link to it. Always shown, so that a choice does not move the layout.
import { Button } from "@mantine/core";
import { ChosenBar } from "../../shared/ui/ChosenBar";
import { LinkButton } from "../../shared/ui/LinkButton";

/** A comparison draws one profile as bars and one as a line. */
export const COMPARED_COUNT = 2;

interface Props {
  /** Names of profiles. */
  chosen: readonly string[];
  titleOf: (name: string) => string;
  onClear: () => void;
}

export function ChosenProfiles({ chosen, titleOf, onClear }: Props) {
  const [left, right] = chosen;
  let sentence = "Choose two profiles to compare them.";
  if (left !== undefined && right !== undefined)
    sentence = `${titleOf(left)} and ${titleOf(right)} are chosen.`;
  else if (left !== undefined) sentence = `${titleOf(left)} is chosen. Choose a profile to compare it with.`;
  return (
    <ChosenBar label="Chosen profiles" sentence={sentence}>
      <Button variant="subtle" size="compact-sm" disabled={left === undefined} onClick={onClear}>
        Clear selection
      </Button>
      {left !== undefined && right !== undefined ? (
        <LinkButton
          variant="default"
          size="compact-sm"
          to="/profiles/$name/compare"
          params={{ name: left }}
          search={{ with: right }}
        >
          Compare 2 profiles
        </LinkButton>
      ) : (
        <Button variant="default" size="compact-sm" disabled>
          Compare profiles
        </Button>
      )}
    </ChosenBar>
  );
}
