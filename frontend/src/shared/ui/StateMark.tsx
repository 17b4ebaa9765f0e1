// A state as a word with an icon, never by hue alone.
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconLock,
  IconPlayerPlay,
  IconPlayerStop,
} from "@tabler/icons-react";
import classes from "./StateMark.module.css";

export type Tone = "good" | "live" | "waiting" | "bad" | "locked" | "stopped";

const icons = {
  good: IconCircleCheck,
  live: IconPlayerPlay,
  waiting: IconCircleDashed,
  bad: IconAlertTriangle,
  locked: IconLock,
  stopped: IconPlayerStop,
} as const;

export function StateMark({ tone, children }: { tone: Tone; children: string }) {
  const Icon = icons[tone];
  return (
    <span className={classes.mark} data-tone={tone}>
      <Icon size={16} aria-hidden />
      {children}
    </span>
  );
}
