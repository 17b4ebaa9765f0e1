// The gallery of profiles.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ProfileCard } from "../../features/profile/ProfileCard";
import { profilesQuery } from "../../features/profile/queries";
import { Empty } from "../../shared/ui/Empty";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";

const skeleton = (
  <div className="patina-cards">
    {[1, 2, 3, 4, 5].map((key) => (
      <Skeleton key={key} height={172} />
    ))}
  </div>
);

export function ProfilesPage() {
  const profiles = useQuery(profilesQuery);
  return (
    <>
      <PageHeader title="Profiles">
        What a file system looks like after years of use: how large its files are, how deep they lie, how old
        they are.
      </PageHeader>
      <Panel query={profiles} skeleton={skeleton}>
        {(data) =>
          data.length === 0 ? (
            <Empty title="No profile yet">
              The built-in profiles are loaded when the server starts. Restart it; its log says why if they
              stay away.
            </Empty>
          ) : (
            <div className="patina-cards">
              {data.map((profile) => (
                <ProfileCard key={profile.id} profile={profile} />
              ))}
            </div>
          )
        }
      </Panel>
    </>
  );
}
