// Makes a sandbox device: its size, medium, host and expiry.
import { Button, Group, SegmentedControl, TextInput } from "@mantine/core";
import { useState, type SyntheticEvent } from "react";
import type { Host } from "../../api/client";
import { Dialog } from "../../shared/ui/Dialog";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { HostSelect, LifeSelect, MediumChoice } from "./SandboxFields";
import classes from "./SandboxForm.module.css";
import { MIB, sizeOf, unitOf, type Unit } from "./sandboxSize";
import { useMakeSandbox, type Medium } from "./queries";

interface Props {
  hosts: readonly Host[];
  onClose: () => void;
}

export function SandboxForm({ hosts, onClose }: Props) {
  const [amount, setAmount] = useState("1");
  const [unit, setUnit] = useState<Unit>("GiB");
  const [medium, setMedium] = useState<Medium>("file");
  const [life, setLife] = useState("");
  const [name, setName] = useState("");
  const [host_name, setHost] = useState<string | null>(null);
  const make = useMakeSandbox();
  const size_bytes = sizeOf(amount, unit);
  const tooSmall = size_bytes === null || size_bytes < 64 * MIB;
  const resize = (typed: string) => {
    setAmount(typed);
    setUnit(unitOf(typed) ?? unit);
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const expires_in_s = life === "" ? null : Number(life);
    if (size_bytes === null || tooSmall) return;
    const request = { size_bytes, medium, host_name, expires_in_s, name: name.trim() || null };
    make.mutate(request, { onSuccess: onClose });
  };
  return (
    <Dialog onClose={onClose} title="Make a sandbox device">
      <form onSubmit={submit} className={classes.form}>
        <p>A block device backed by a sparse file. Nothing else on the host is changed.</p>
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            label="Size"
            value={amount}
            onChange={(event) => resize(event.currentTarget.value)}
            onFocus={(event) => event.currentTarget.select()}
            error={size_bytes === null ? "A number, such as 300 MiB" : tooSmall ? "At least 64 MiB" : null}
            inputMode="decimal"
            autoComplete="off"
            data-autofocus
          />
          <SegmentedControl
            aria-label="Size unit"
            data={["MiB", "GiB"]}
            value={unit}
            onChange={(value) => {
              setUnit(value === "MiB" ? "MiB" : "GiB");
              setAmount(amount.replace(/\s*[a-z]+\s*$/i, "")); // the chosen unit replaces a typed one
            }}
          />
        </Group>
        <MediumChoice medium={medium} onChange={setMedium} />
        <TextInput
          label="Name"
          description="Optional"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={60}
        />
        <HostSelect hosts={hosts} name={host_name} onChange={setHost} />
        <LifeSelect life={life} onChange={setLife} />
        {make.isError && <RefusalNotice error={make.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending} disabled={tooSmall}>
            Make sandbox device
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
