// The flaws of a histogram, each with a link to its bin.
import { UnstyledButton } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Flaw } from "./draft/flaw";
import classes from "./FlawList.module.css";

const SHOWN_COUNT = 5;

export function FlawList({ flaws, onGo }: { flaws: readonly Flaw[]; onGo: (index: number) => void }) {
  if (flaws.length === 0) return null;
  return (
    <div role="alert">
      <ul className={classes.flaws}>
        {flaws.slice(0, SHOWN_COUNT).map(({ index, field, message }) => (
          <li key={`${index} ${field}`}>
            <IconAlertTriangle size={16} aria-hidden />
            {index === null ? (
              message
            ) : (
              <UnstyledButton className={classes.go ?? ""} onClick={() => onGo(index)}>
                Bin {index + 1}: {message}
              </UnstyledButton>
            )}
          </li>
        ))}
        {flaws.length > SHOWN_COUNT && <li>and {flaws.length - SHOWN_COUNT} more</li>}
      </ul>
    </div>
  );
}
