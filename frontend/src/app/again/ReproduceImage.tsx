// Carries out the recipe of an image again: the choice of a device, and the confirmation that names it.
import { Button, Group, Modal, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { Device, ImageOfAging } from "../../api/client";
import { newKey } from "../../features/action/words";
import { Confirmation, isConfirmed } from "../../features/device/Confirmation";
import { devicesQuery } from "../../features/device/queries";
import { whyNot } from "../../features/device/words";
import { nameOf } from "../../shared/device";
import { useReproduceImage } from "../../features/image/reproduction/queries";
import { LinkButton } from "../../shared/ui/LinkButton";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { bytes, formatBytes } from "../../shared/units";
import { Fields } from "../../shared/ui/waiting/shapes";

/** Reports whether the device can have the file system of the recipe. */
function isPossible(device: Device, image: ImageOfAging): boolean {
  const wanted = device.file_systems.find(({ name }) => name === image.recipe.file_system);
  return (
    (device.state === "available" || device.state === "busy") &&
    wanted !== undefined &&
    whyNot(device, wanted) === null
  );
}

/** Returns the possible devices, those of the recipe's size first. */
function choicesOf(devices: readonly Device[], image: ImageOfAging): Device[] {
  const isOther = ({ size_bytes }: Device) => Number(size_bytes !== image.recipe.device_size_bytes);
  return devices
    .filter((device) => isPossible(device, image))
    .sort((one, other) => isOther(one) - isOther(other));
}

function SizeNote({ device, image }: { device: Device; image: ImageOfAging }) {
  if (device.size_bytes === image.recipe.device_size_bytes)
    return (
      <p className="patina-quiet">
        The device has the size of the recipe&apos;s, so the plan is the same. The layouts are compared at the
        end.
      </p>
    );
  const size = formatBytes(bytes(image.recipe.device_size_bytes));
  return (
    <p className="patina-quiet">
      The device of the recipe has <span title={size.exact}>{size.text}</span>. On this one the plan differs,
      and so does the layout.
    </p>
  );
}

interface FormProps {
  image: ImageOfAging;
  choices: readonly Device[];
  onClose: () => void;
}

function ReproduceForm({ image, choices, onClose }: FormProps) {
  const navigate = useNavigate();
  const reproduce = useReproduceImage(image.id);
  const [idempotency_key] = useState(newKey);
  const [device_id, setDevice] = useState<string | null>(null);
  const [typed, setTyped] = useState("");
  const device = choices.find(({ id }) => String(id) === device_id);
  const mayStart = device !== undefined && isConfirmed(device, typed);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!mayStart) return;
    const { id, stable_id, size_bytes, state } = device;
    const confirmation = { stable_id, size_bytes, typed: typed === "" ? null : typed };
    const body = { device_id: id, confirmation, waits: state === "busy", note: "" };
    reproduce.mutate(
      { body, idempotency_key },
      { onSuccess: (run) => void navigate({ to: "/runs/$runId", params: { runId: String(run.id) } }) },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Select
          label="Device"
          placeholder="Choose a device"
          data={choices.map((each) => ({
            value: String(each.id),
            label: `${nameOf(each)}, ${formatBytes(bytes(each.size_bytes)).text}`,
          }))}
          value={device_id}
          onChange={setDevice}
          searchable
          comboboxProps={{ transitionProps: { duration: 0 } }}
          data-autofocus
        />
        {device !== undefined && (
          <>
            <SizeNote device={device} image={image} />
            <Confirmation device={device} typed={typed} onType={setTyped} />
          </>
        )}
        {reproduce.isError && <RefusalNotice error={reproduce.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!mayStart} loading={reproduce.isPending}>
            {device === undefined ? "Age a device" : `Age ${nameOf(device)}`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Choice({ image, onClose }: { image: ImageOfAging; onClose: () => void }) {
  const devices = useQuery(devicesQuery);
  return (
    <Panel query={devices} skeleton={<Fields count={2} />}>
      {(data) => {
        const choices = choicesOf(data, image);
        if (choices.length > 0) return <ReproduceForm image={image} choices={choices} onClose={onClose} />;
        return (
          <Stack gap="md" align="flex-start">
            <p>No device can have this file system now. Make a sandbox of the recipe&apos;s size.</p>
            <LinkButton to="/devices">Go to the devices</LinkButton>
          </Stack>
        );
      }}
    </Panel>
  );
}

export function ReproduceImage({ image }: { image: ImageOfAging }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
        Run this recipe again
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        size={640}
        title={`Run the recipe of ${image.name} again`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Choice image={image} onClose={() => setOpen(false)} />
      </Modal>
    </>
  );
}
