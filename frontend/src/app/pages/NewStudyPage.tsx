// Puts a study together: a ready-made plan, changed as needed.
import { Button, Select, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { Host } from "../../api/client";
import { newKey } from "../../features/action/words";
import { hostsQuery } from "../../features/host/queries";
import { studyQuery, useStartStudy } from "../../features/study/queries";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { Fields } from "../../shared/ui/waiting/shapes";
import { cellsCount, draftLike, firstDraft, lackOf, plans, requestOf, type Draft } from "../study/draft";
import { StudyFields } from "../study/StudyFields";
import classes from "../trial/NewTrial.module.css";

function Plans({ onChoose }: { onChoose: (draft: Draft) => void }) {
  return (
    <div className={classes.plans} role="group" aria-label="Ready-made plans">
      {plans.map(({ name, title, summary, draft }) => (
        <UnstyledButton key={name} className={classes.plan ?? ""} onClick={() => onChoose(draft)}>
          <strong>{title}</strong>
          <span>{summary}</span>
        </UnstyledButton>
      ))}
    </div>
  );
}

function Extent({ draft }: { draft: Draft }) {
  const cells = cellsCount(draft);
  return (
    <p>
      {cells} {cells === 1 ? "cell" : "cells"}, {draft.seeds} {draft.seeds === 1 ? "seed" : "seeds"} each:{" "}
      {(cells * draft.seeds).toLocaleString("en-GB")} simulations. They need no device; the worker of the host
      runs several at a time.
    </p>
  );
}

function HostField({
  hosts,
  value,
  onChange,
}: {
  hosts: readonly Host[];
  value: string | null;
  onChange: (name: string) => void;
}) {
  return (
    <Select
      label="Host"
      description="Whose worker simulates"
      data={hosts.map(({ name }) => name)}
      value={value}
      onChange={(name) => name !== null && onChange(name)}
      allowDeselect={false}
      comboboxProps={{ transitionProps: { duration: 0 } }}
    />
  );
}

function Form({ start: from, hosts }: { start: Draft; hosts: readonly Host[] }) {
  const [draft, setDraft] = useState(from);
  const [idempotency_key] = useState(newKey);
  const navigate = useNavigate();
  const start = useStartStudy();
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const host_name = draft.host_name ?? hosts[0]?.name ?? null;
  const lack = hosts.length === 0 ? "No host is connected yet." : lackOf(draft);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (lack !== null) return;
    start.mutate(
      { body: requestOf({ ...draft, host_name }), idempotency_key },
      { onSuccess: ({ id }) => void navigate({ to: "/studies/$studyId", params: { studyId: String(id) } }) },
    );
  };
  return (
    <form onSubmit={submit} className="patina-stack">
      <section aria-labelledby="plans">
        <div className="patina-section">
          <h2 id="plans">Ready-made</h2>
          <span>fills in what is below; all of it can be changed</span>
        </div>
        <Plans onChoose={(chosen) => change({ ...chosen, host_name: draft.host_name })} />
      </section>
      <section aria-labelledby="settings">
        <div className="patina-section">
          <h2 id="settings">Settings</h2>
        </div>
        <StudyFields draft={draft} onChange={change} />
      </section>
      <section aria-label="Start">
        <div className={classes.end}>
          {hosts.length > 1 && (
            <HostField hosts={hosts} value={host_name} onChange={(name) => change({ host_name: name })} />
          )}
          <Extent draft={draft} />
          {lack !== null && <p className="patina-quiet">{lack}</p>}
          {start.isError && <RefusalNotice error={start.error} />}
          <Button type="submit" disabled={lack !== null} loading={start.isPending}>
            Start study
          </Button>
        </div>
      </section>
    </form>
  );
}

/** Returns the draft that the address asks for: like an earlier study, or the first plan. */
function useStart(): Draft | undefined {
  const { like } = useSearch({ from: "/studies/new" });
  const { data: earlier, isError } = useQuery({ ...studyQuery(like ?? 0), enabled: like !== undefined });
  if (like === undefined || isError) return firstDraft;
  return earlier === undefined ? undefined : draftLike(earlier);
}

export function NewStudyPage() {
  const hosts = useQuery(hostsQuery);
  const from = useStart();
  return (
    <>
      <PageHeader title="New study">
        Simulations of shingled disks: each combination of the settings, with several seeds.
      </PageHeader>
      <Panel query={hosts} skeleton={<Fields count={5} />}>
        {(items) => (from === undefined ? <Fields count={5} /> : <Form start={from} hosts={items} />)}
      </Panel>
    </>
  );
}
