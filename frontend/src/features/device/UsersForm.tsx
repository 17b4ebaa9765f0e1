// The choice of the users of a device.
import { Button, Group, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Device } from "../../api/client";
import { teamsQuery } from "../../shared/teams";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useSetDeviceUsers } from "./queries";

/** Returns the value of the choice: the users, or team and its number. */
function chosen({ users, users_team_id }: Device): string {
  return users === "team" ? `team ${users_team_id}` : users;
}

export function UsersForm({ device, onClose }: { device: Device; onClose: () => void }) {
  const { data: teams } = useQuery(teamsQuery);
  const set = useSetDeviceUsers(device.id);
  const [value, setValue] = useState(chosen(device));
  const options = [
    { value: "members", label: "Every member" },
    ...(teams ?? []).map(({ id, name }) => ({ value: `team ${id}`, label: `Team ${name}` })),
    { value: "operators", label: "Operators alone" },
  ];
  const save = () => {
    const [users, team] = value.split(" ");
    const team_id = team === undefined ? null : Number(team);
    set.mutate({ users: users as Device["users"], team_id }, { onSuccess: onClose });
  };
  return (
    <Stack gap="md">
      <Select
        label="May be used by"
        description="Operators may use each device. A job that waits is refused if its account no longer may."
        data={options}
        value={value}
        onChange={(next) => next !== null && setValue(next)}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
        data-autofocus
      />
      {set.isError && <RefusalNotice error={set.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={set.isPending} onClick={save}>
          Save
        </Button>
      </Group>
    </Stack>
  );
}
