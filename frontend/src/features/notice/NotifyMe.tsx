// A button that follows a run: this browser notifies when it ends or needs attention.
import { ActionIcon, Button, Popover, Tooltip } from "@mantine/core";
import { IconBell, IconBellRinging } from "@tabler/icons-react";
import { useState } from "react";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { unfollow, useFollowedRuns } from "./following";
import { askForPermission, whatToDo, type Permission } from "./permission";
import { useFollowRun } from "./queries";

interface Props {
  run_id: number;
  isSmall?: boolean;
}

/** Requests permission on the click, and explains the remedy where it is denied. */
function useNotifyMe(run_id: number) {
  const isFollowed = useFollowedRuns()[run_id] !== undefined;
  const following = useFollowRun(run_id);
  const [refused, setRefused] = useState<Permission | null>(null);
  const toggle = async () => {
    if (isFollowed) {
      unfollow(run_id);
      return;
    }
    const permission = await askForPermission();
    if (permission === "granted") following.mutate();
    else if (whatToDo[permission] !== null) setRefused(permission);
  };
  return { isFollowed, following, refused, forget: () => setRefused(null), toggle };
}

export function NotifyMe({ run_id, isSmall = false }: Props) {
  const { isFollowed, following, refused, forget, toggle } = useNotifyMe(run_id);
  const Icon = isFollowed ? IconBellRinging : IconBell;
  const label = isFollowed ? `Do not notify me of run ${run_id}` : `Notify me of run ${run_id}`;
  const shared = {
    onClick: () => void toggle(),
    loading: following.isPending,
    "aria-label": label,
    "aria-pressed": isFollowed,
  };
  return (
    <Popover
      opened={refused !== null || following.isError}
      onChange={(isOpen) => {
        if (isOpen) return;
        forget();
        following.reset();
      }}
      width={300}
      position="bottom-end"
      withArrow
      withRoles={false} // the dropdown is an alert beside the button, not its menu
    >
      <Popover.Target>
        <span>
          {isSmall ? (
            <Tooltip
              label={isFollowed ? "You will be notified" : "Notify me when it ends or needs attention"}
            >
              <ActionIcon variant="subtle" color={isFollowed ? "patina" : "gray"} {...shared}>
                <Icon size={18} aria-hidden />
              </ActionIcon>
            </Tooltip>
          ) : (
            <Button variant="default" leftSection={<Icon size={16} aria-hidden />} {...shared}>
              {isFollowed ? "You will be notified" : "Notify me"}
            </Button>
          )}
        </span>
      </Popover.Target>
      <Popover.Dropdown role="alert" aria-label={`Notify me of run ${run_id}`}>
        {refused !== null && <p>{whatToDo[refused]}</p>}
        {following.isError && <RefusalNotice error={following.error} />}
      </Popover.Dropdown>
    </Popover>
  );
}
