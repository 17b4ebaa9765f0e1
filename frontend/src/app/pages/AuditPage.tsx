// The audit trail with its filters, which are in the address; for owners.
import { Button, Group, Select, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { AuditFilter } from "../../api/client";
import { AuditTable } from "../../features/account/AuditTable";
import { auditQuery } from "../../features/account/queries";
import { Empty } from "../../shared/ui/Empty";
import { PageHeader } from "../../shared/ui/PageHeader";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { ShowOlder } from "../../shared/ui/ShowOlder";
import { Rows, Soon } from "../../shared/ui/waiting/shapes";

function exported(filter: AuditFilter, format: "csv" | "jsonl"): string {
  return `/api/v1/audit/export?${new URLSearchParams({ ...filter, format } as Record<string, string>)}`;
}

function Filters({ filter }: { filter: AuditFilter }) {
  const navigate = useNavigate();
  const change = (name: keyof AuditFilter, value: string | null) => {
    const { [name]: _, ...rest } = filter;
    const next = value === null || value === "" ? rest : { ...rest, [name]: value };
    void navigate({ to: "/audit", search: next, replace: true });
  };
  return (
    <Group gap="md" align="flex-end">
      <TextInput
        label="Account"
        value={filter.account ?? ""}
        onChange={(event) => change("account", event.currentTarget.value)}
        maxLength={100}
      />
      <TextInput
        label="Operation"
        placeholder="start_run"
        value={filter.action ?? ""}
        onChange={(event) => change("action", event.currentTarget.value)}
        maxLength={100}
      />
      <Select
        label="Outcome"
        placeholder="Any"
        data={["done", "refused"]}
        value={filter.outcome ?? null}
        onChange={(value) => change("outcome", value)}
        clearable
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
    </Group>
  );
}

export function AuditPage({ filter }: { filter: AuditFilter }) {
  const trail = useInfiniteQuery(auditQuery(filter));
  const entries = trail.data?.pages.flatMap(({ items }) => items);
  const action = (
    <Group gap="xs">
      <Button component="a" variant="default" href={exported(filter, "csv")} download>
        Export as CSV
      </Button>
      <Button component="a" variant="default" href={exported(filter, "jsonl")} download>
        Export as JSON lines
      </Button>
    </Group>
  );
  return (
    <>
      <PageHeader title="Audit trail" action={action}>
        Every change of this server, and every refusal for lack of a right. No entry can be changed.
      </PageHeader>
      <div className="patina-stack">
        <Filters filter={filter} />
        {trail.isError && <RefusalNotice error={trail.error} onRetry={() => void trail.refetch()} />}
        {entries === undefined && !trail.isError && (
          <div role="status" aria-label="Loading">
            <Soon>
              <Rows height={37} />
            </Soon>
          </div>
        )}
        {entries?.length === 0 && <Empty title="No entry">No entry of the trail passes these filters.</Empty>}
        {entries !== undefined && entries.length > 0 && <AuditTable entries={entries} />}
        <ShowOlder query={trail} what="entries" />
      </div>
    </>
  );
}
