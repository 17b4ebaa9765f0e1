// The gallery of profiles; the address names the tag, the archive, and the profiles chosen for a comparison.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Profile } from "../../api/client";
import { ChosenProfiles, COMPARED_COUNT } from "../../features/profile/ChosenProfiles";
import { ProfileCard } from "../../features/profile/ProfileCard";
import { archivedProfilesQuery, profilesQuery } from "../../features/profile/queries";
import { Empty } from "../../shared/ui/Empty";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { Cards } from "../../shared/ui/waiting/shapes";
import classes from "./ProfilesPage.module.css";

const skeleton = <Cards count={5} height={172} />;

/** Keeps the chosen profiles in the address, beside the filter: a reload and the browser's back button keep them. */
function useChosen() {
  const { chosen: text = "", ...filter } = useSearch({ from: "/profiles" });
  const navigate = useNavigate();
  const chosen = text
    .split(",")
    .filter((name) => name !== "")
    .slice(0, COMPARED_COUNT);
  const choose = (names: readonly string[]) =>
    void navigate({
      to: "/profiles",
      search: names.length === 0 ? filter : { ...filter, chosen: names.join() },
      replace: true,
      resetScroll: false,
    });
  const toggle = (name: string) =>
    choose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return { chosen, choose, toggle };
}

function Filters({ profiles }: { profiles: readonly Profile[] }) {
  const { tag, archived = false, chosen } = useSearch({ from: "/profiles" });
  const navigate = useNavigate();
  const tags = [...new Set(profiles.flatMap((profile) => profile.tags))].sort();
  const go = (filter: { tag?: string; archived?: boolean }) =>
    void navigate({ to: "/profiles", search: chosen === undefined ? filter : { ...filter, chosen } });
  const kept = archived ? { archived } : {};
  return (
    <div className={classes.filters} role="group" aria-label="Filter">
      {tags.map((name) => (
        <Button
          key={name}
          variant={name === tag ? "filled" : "default"}
          size="compact-sm"
          aria-pressed={name === tag}
          onClick={() => go(name === tag ? kept : { ...kept, tag: name })}
        >
          {name}
        </Button>
      ))}
      <Button
        variant={archived ? "filled" : "default"}
        size="compact-sm"
        aria-pressed={archived}
        onClick={() => go(archived ? {} : { archived: true })}
      >
        Archived
      </Button>
    </div>
  );
}

function NothingHere({ archived }: { archived: boolean }) {
  if (archived) return <Empty title="No archived profiles">A profile is archived on its own page.</Empty>;
  return (
    <Empty
      title="No profile here"
      action={
        <May needs="member">
          <LinkButton to="/profiles/new">New profile</LinkButton>
        </May>
      }
    >
      The built-in profiles are loaded when the server starts; if they are missing, its log states why. You
      can make your own from a table, a file or a directory.
    </Empty>
  );
}

export function ProfilesPage() {
  const { tag, archived = false } = useSearch({ from: "/profiles" });
  const profiles = useQuery(archived ? archivedProfilesQuery : profilesQuery);
  const { chosen, choose, toggle } = useChosen();
  return (
    <>
      <PageHeader
        title="Profiles"
        action={
          <May needs="member">
            <LinkButton to="/profiles/new">New profile</LinkButton>
          </May>
        }
      >
        File systems after years of use: the size, depth and age of their files.
      </PageHeader>
      <Panel query={profiles} skeleton={skeleton}>
        {(data) => {
          const shown = data.filter(({ tags }) => tag === undefined || tags.includes(tag));
          return (
            <>
              <Filters profiles={data} />
              {data.length > 0 && (
                <ChosenProfiles
                  chosen={chosen}
                  titleOf={(name) => data.find((profile) => profile.name === name)?.title ?? name}
                  onClear={() => choose([])}
                />
              )}
              {shown.length === 0 ? (
                <NothingHere archived={archived} />
              ) : (
                <div className="patina-cards">
                  {shown.map((profile) => (
                    <ProfileCard
                      key={profile.id}
                      profile={profile}
                      isChosen={chosen.includes(profile.name)}
                      mayChoose={chosen.includes(profile.name) || chosen.length < COMPARED_COUNT}
                      onChoose={() => toggle(profile.name)}
                    />
                  ))}
                </div>
              )}
            </>
          );
        }}
      </Panel>
    </>
  );
}
