// Makes a shingled disk: its size and interface, what a write damages, and what SMRfs does on it.
import { useQuery } from "@tanstack/react-query";
import type { SyntheticEvent } from "react";
import type { Host } from "../../../api/client";
import { DialogFooter } from "../../../shared/dialog/DialogFooter";
import { Dialog } from "../../../shared/ui/Dialog";
import { KeptNote } from "../../../shared/ui/KeptNote";
import { Panel } from "../../../shared/ui/Panel";
import { Fields } from "../../../shared/ui/waiting/shapes";
import classes from "../emulated/EmulateDialog.module.css";
import { diskModelsQuery } from "../queries";
import { useMaking } from "../useMaking";
import { problemsOf, refusedFields, requestOf, usualDraft, type Draft } from "./draft";
import { DiskFields, ModelField, PlaceFields, PolicyField, SizeField } from "./ShingleFields";

const kept = new Map<string, Draft>();

interface Props {
  hosts: readonly Host[];
  onClose: () => void;
}

function ShingleForm({ hosts, onClose }: Props) {
  const built = useQuery(diskModelsQuery);
  const making = useMaking({ kept, usual: usualDraft, requestOf, refusedFields, onClose });
  const { form, draft, change, startOver, refused, error, isPending, submit } = making;
  const wrong = problemsOf(draft, built.data ?? []);
  const isWhole = Object.keys(wrong).length === 0;
  const common = { draft, problems: { ...refused, ...wrong }, onChange: change };
  const onSubmit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isWhole) submit();
  };
  return (
    <form ref={form} onSubmit={onSubmit} className={classes.form} noValidate>
      <KeptNote startOver={startOver} />
      <p>
        A sandbox device that SMRfs uses as a shingled disk, on which a write damages what is behind it. It is
        aged with SMRfs alone: other file systems lose data on such a disk.{" "}
        <a href="/help/shingled-disks" target="_blank" rel="noreferrer" className="patina-link">
          What a shingled disk is
        </a>
      </p>
      <SizeField {...common} />
      <DiskFields {...common} />
      <PolicyField {...common} />
      <Panel query={built} skeleton={<Fields count={1} />}>
        {(models) => <ModelField {...common} models={models} />}
      </Panel>
      <PlaceFields {...common} hosts={hosts} />
      <DialogFooter
        verb="Make shingled disk"
        missing={isWhole ? null : "Correct what is marked"}
        error={error}
        isPending={isPending}
        onClose={onClose}
      />
    </form>
  );
}

export function ShingleDialog(props: Props) {
  return (
    <Dialog onClose={props.onClose} title="Make a shingled disk" size={560}>
      <ShingleForm {...props} />
    </Dialog>
  );
}
