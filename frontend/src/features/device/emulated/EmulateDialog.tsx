// Makes an emulated disk: its size, the disk it is modelled on, what it keeps, and what reads of the rest return.
import { useQuery } from "@tanstack/react-query";
import type { SyntheticEvent } from "react";
import type { Host } from "../../../api/client";
import { diskModelsQuery } from "../queries";
import { Dialog } from "../../../shared/ui/Dialog";
import { Panel } from "../../../shared/ui/Panel";
import { DialogFooter } from "../../../shared/dialog/DialogFooter";
import { Fields } from "../../../shared/ui/waiting/shapes";
import { KeptNote } from "../../../shared/ui/KeptNote";
import { problemsOf, requestOf, usualDraft, type Draft } from "./draft";
import { ContentFields, ModelFields, MoreFields, PlaceFields, SizeField } from "./EmulateFields";
import classes from "./EmulateDialog.module.css";
import { refusedFields } from "./refused";
import { useMaking } from "../useMaking";

const kept = new Map<string, Draft>();

interface Props {
  hosts: readonly Host[];
  onClose: () => void;
}

function EmulateForm(props: Props) {
  const built = useQuery(diskModelsQuery);
  const models = built.data ?? [];
  const making = useMaking({ kept, usual: usualDraft, requestOf, refusedFields, onClose: props.onClose });
  const { form, draft, change, startOver, refused, error, isPending, submit } = making;
  const wrong = problemsOf(draft, models);
  const problems = { ...refused, ...wrong };
  const isWhole = Object.keys(wrong).length === 0;
  const common = { draft, problems, models, onChange: change };
  const onSubmit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isWhole) submit();
  };
  return (
    <form ref={form} onSubmit={onSubmit} className={classes.form} noValidate>
      <KeptNote startOver={startOver} />
      <p>
        A block device that keeps the metadata of its file system and drops the data of files, so that a large
        disk fits on this host.{" "}
        <a href="/help/emulated-disks" target="_blank" rel="noreferrer" className="patina-link">
          What it keeps, and what a prediction is
        </a>
      </p>
      <SizeField {...common} />
      <Panel query={built} skeleton={<Fields count={1} />}>
        {() => <ModelFields {...common} />}
      </Panel>
      <ContentFields {...common} />
      <PlaceFields {...common} hosts={props.hosts} />
      <MoreFields {...common} />
      <DialogFooter
        verb="Make emulated disk"
        missing={isWhole ? null : "Correct what is marked"}
        error={error}
        isPending={isPending}
        onClose={props.onClose}
      />
    </form>
  );
}

export function EmulateDialog(props: Props) {
  return (
    <Dialog onClose={props.onClose} title="Make an emulated disk" size={560}>
      <EmulateForm {...props} />
    </Dialog>
  );
}
