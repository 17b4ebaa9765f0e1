// The field for the name of a device.
import { Button, Group, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Device } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useNameDevice } from "./queries";

export function NameForm({ device, onClose }: { device: Device; onClose: () => void }) {
  const set = useNameDevice(device.id);
  const [name, setName] = useState(device.name ?? "");
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    set.mutate(name.trim() === "" ? null : name.trim(), { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Name"
        description="Empty: no name. The path and the stable id stay what identifies the device."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={60}
        data-autofocus
      />
      {set.isError && <RefusalNotice error={set.error} />}
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={set.isPending} disabled={name.trim() === (device.name ?? "")}>
          Save
        </Button>
      </Group>
    </form>
  );
}
