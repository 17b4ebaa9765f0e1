// The comparison of two versions of a profile; the address names them.
import { Group, Select, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ProfileVersionLink } from "../../api/client";
import { CompareFigures } from "../../features/profile/CompareFigures";
import { profileQuery, versionQuery, versionsQuery } from "../../features/profile/queries";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";

const skeleton = <Skeleton height={260} />;

function Both({ name, left, right }: { name: string; left: number; right: number }) {
  const first = useQuery(versionQuery(name, left));
  const second = useQuery(versionQuery(name, right));
  return (
    <Panel query={first} skeleton={skeleton}>
      {(a) => (
        <Panel query={second} skeleton={skeleton}>
          {(b) => (
            <CompareFigures
              left={{ title: `version ${a.number}`, content: a }}
              right={{ title: `version ${b.number}`, content: b }}
            />
          )}
        </Panel>
      )}
    </Panel>
  );
}

function Choice({ name, versions }: { name: string; versions: readonly ProfileVersionLink[] }) {
  const search = useSearch({ from: "/profiles/$name/compare" });
  const navigate = useNavigate();
  const numbers = versions.map(({ number }) => number).sort((a, b) => b - a);
  const right = search.right ?? numbers[0] ?? 1;
  const left = search.left ?? numbers.find((number) => number < right) ?? right;
  const choices = versions.map(({ number, message }) => ({
    value: String(number),
    label: message === "" ? `Version ${number}` : `Version ${number}: ${message}`,
  }));
  const go = (change: { left?: number; right?: number }) =>
    void navigate({
      to: "/profiles/$name/compare",
      params: { name },
      search: { left, right, ...change },
      replace: true,
    });
  return (
    <>
      <Group gap="md" mb="lg" grow maw={720}>
        <Select
          label="As bars"
          data={choices}
          value={String(left)}
          onChange={(value) => go({ left: Number(value) })}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
        <Select
          label="As a line"
          data={choices}
          value={String(right)}
          onChange={(value) => go({ right: Number(value) })}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
      </Group>
      {versions.length < 2 && (
        <p className="patina-quiet">
          The profile has only one version, compared with itself here. Edit the profile to add another.
        </p>
      )}
      <Both name={name} left={left} right={right} />
    </>
  );
}

export function ComparePage() {
  const { name } = useParams({ from: "/profiles/$name/compare" });
  const profile = useQuery(profileQuery(name));
  const versions = useQuery(versionsQuery(name));
  return (
    <>
      <PageHeader
        title={`Compare versions of ${profile.data?.title ?? name}`}
        action={
          <LinkButton variant="default" to="/profiles/$name" params={{ name }}>
            Back to the profile
          </LinkButton>
        }
      />
      <Panel query={versions} skeleton={skeleton}>
        {(items) => <Choice name={name} versions={items} />}
      </Panel>
    </>
  );
}
