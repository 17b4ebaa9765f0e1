// One profile.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ProfileView } from "../../features/profile/ProfileView";
import { profileQuery } from "../../features/profile/queries";
import { LinkButton } from "../../shared/ui/LinkButton";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";

const skeleton = (
  <div className="patina-charts">
    <Skeleton height={250} />
    <Skeleton height={250} />
    <Skeleton height={250} />
  </div>
);

export function ProfilePage({ name }: { name: string }) {
  const profile = useQuery(profileQuery(name));
  return (
    <>
      <PageHeader
        title={profile.data?.title ?? name}
        action={
          profile.data && (
            <LinkButton to="/devices" search={{ profile: name }}>
              Choose a device to age
            </LinkButton>
          )
        }
      >
        {profile.data?.description}
      </PageHeader>
      <Panel query={profile} skeleton={skeleton}>
        {(data) => <ProfileView profile={data} />}
      </Panel>
    </>
  );
}
