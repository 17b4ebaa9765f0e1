// The gallery of profiles; the address names the tag and the archive.
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Profile } from "../../api/client";
import { ProfileCard } from "../../features/profile/ProfileCard";
import { archivedProfilesQuery, profilesQuery } from "../../features/profile/queries";
import { Empty } from "../../shared/ui/Empty";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import classes from "./ProfilesPage.module.css";

const skeleton = (
  <div className="patina-cards">
    {[1, 2, 3, 4, 5].map((key) => (
      <Skeleton key={key} height={172} />
    ))}
  </div>
);

function Filters({ profiles }: { profiles: readonly Profile[] }) {
  const { tag, archived = false } = useSearch({ from: "/profiles" });
  const navigate = useNavigate();
  const tags = [...new Set(profiles.flatMap((profile) => profile.tags))].sort();
  const go = (search: { tag?: string; archived?: boolean }) => void navigate({ to: "/profiles", search });
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
              {shown.length === 0 ? (
                <NothingHere archived={archived} />
              ) : (
                <div className="patina-cards">
                  {shown.map((profile) => (
                    <ProfileCard key={profile.id} profile={profile} />
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
