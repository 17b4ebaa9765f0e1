// The comparison of two versions, of one profile or of two; the address names them.
import { Fieldset, Select, SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ProfileVersionLink } from "../../api/client";
import { CompareFigures } from "../../features/profile/CompareFigures";
import { profileQuery, profilesQuery, versionQuery, versionsQuery } from "../../features/profile/queries";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { Plot } from "../../shared/ui/waiting/shapes";

const skeleton = <Plot height={260} />;

/** A version of a profile. */
interface Side {
  name: string;
  title: string;
  number: number;
}

function Both({ left, right }: { left: Side; right: Side }) {
  const first = useQuery(versionQuery(left.name, left.number));
  const second = useQuery(versionQuery(right.name, right.number));
  const isOne = left.name === right.name;
  const titleOf = ({ title, number }: Side) => (isOne ? `version ${number}` : `${title}, version ${number}`);
  return (
    <Panel query={first} skeleton={skeleton}>
      {(a) => (
        <Panel query={second} skeleton={skeleton}>
          {(b) => (
            <CompareFigures
              left={{ title: titleOf(left), content: a }}
              right={{ title: titleOf(right), content: b }}
            />
          )}
        </Panel>
      )}
    </Panel>
  );
}

interface FieldsProps {
  label: string;
  side: Side;
  profiles: readonly { name: string; title: string }[];
  versions: readonly ProfileVersionLink[];
  onName: (name: string) => void;
  onNumber: (number: number) => void;
}

/** The fields stay while versions are read, so that they keep the focus. */
function SideFields({ label, side, profiles, versions, onName, onNumber }: FieldsProps) {
  const known = profiles.some(({ name }) => name === side.name);
  const shown = known ? profiles : [...profiles, side];
  return (
    <Fieldset legend={label} variant="unstyled">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <Select
          label="Profile"
          data={shown.map(({ name, title }) => ({ value: name, label: title }))}
          value={side.name}
          onChange={(value) => value !== null && onName(value)}
          allowDeselect={false}
          searchable
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
        <Select
          label="Version"
          data={versions.map(({ number, message }) => ({
            value: String(number),
            label: message === "" ? `Version ${number}` : `Version ${number}: ${message}`,
          }))}
          value={String(side.number)}
          onChange={(value) => onNumber(Number(value))}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

/** Returns the two sides of the address; without numbers the latest versions, or the two latest of one profile. */
function useSides() {
  const { name } = useParams({ from: "/profiles/$name/compare" });
  const search = useSearch({ from: "/profiles/$name/compare" });
  const other = search.with ?? name;
  const profiles = useQuery(profilesQuery);
  const [mine, theirs] = [useQuery(profileQuery(name)), useQuery(profileQuery(other))];
  const [ofMine, ofTheirs] = [useQuery(versionsQuery(name)), useQuery(versionsQuery(other))];
  const latestOf = (versions: readonly ProfileVersionLink[] = []) =>
    Math.max(1, ...versions.map(({ number }) => number));
  const right = search.right ?? latestOf(ofTheirs.data);
  const left = search.left ?? (other === name ? Math.max(1, right - 1) : latestOf(ofMine.data));
  return {
    profiles: profiles.data ?? [],
    left: { name, title: mine.data?.title ?? name, number: left },
    right: { name: other, title: theirs.data?.title ?? other, number: right },
    ofLeft: ofMine,
    ofRight: ofTheirs,
  };
}

export function ComparePage() {
  const { profiles, left, right, ofLeft, ofRight } = useSides();
  const navigate = useNavigate();
  const isOne = left.name === right.name;
  const go = (a: { name: string; number?: number }, b: { name: string; number?: number }) =>
    void navigate({
      to: "/profiles/$name/compare",
      params: { name: a.name },
      search: {
        ...(b.name !== a.name && { with: b.name }),
        ...(a.number !== undefined && { left: a.number }),
        ...(b.number !== undefined && { right: b.number }),
      },
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <PageHeader
        title={isOne ? `Compare versions of ${left.title}` : `Compare ${left.title} with ${right.title}`}
        action={
          <LinkButton variant="default" to="/profiles/$name" params={{ name: left.name }}>
            Back to the profile
          </LinkButton>
        }
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" mb="lg">
        <SideFields
          label="As bars"
          side={left}
          profiles={profiles}
          versions={ofLeft.data ?? []}
          onName={(name) => go({ name }, right)}
          onNumber={(number) => go({ name: left.name, number }, right)}
        />
        <SideFields
          label="As a line"
          side={right}
          profiles={profiles}
          versions={ofRight.data ?? []}
          onName={(name) => go(left, { name })}
          onNumber={(number) => go(left, { name: right.name, number })}
        />
      </SimpleGrid>
      <Panel query={ofLeft} skeleton={skeleton}>
        {(versions) => (
          <Panel query={ofRight} skeleton={skeleton}>
            {() => (
              <>
                {isOne && versions.length < 2 && (
                  <p className="patina-quiet">
                    The profile has only one version, compared with itself here. Choose another profile, or
                    edit this one to add a version.
                  </p>
                )}
                <Both left={left} right={right} />
              </>
            )}
          </Panel>
        )}
      </Panel>
    </>
  );
}
