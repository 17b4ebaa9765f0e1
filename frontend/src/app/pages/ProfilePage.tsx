// One profile: its histograms, actions and versions.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { ProfileActions } from "../../features/profile/ProfileActions";
import { ProfileView } from "../../features/profile/ProfileView";
import { profileQuery } from "../../features/profile/queries";
import { UsedBy } from "../../features/profile/UsedBy";
import { VersionList } from "../../features/profile/VersionList";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { Plots } from "../../shared/ui/waiting/shapes";
import { SavedForecast } from "../edit/SavedForecast";

const skeleton = <Plots />;

export function ProfilePage() {
  const { name } = useParams({ from: "/profiles/$name" });
  const navigate = useNavigate();
  const profile = useQuery(profileQuery(name));
  return (
    <>
      <PageHeader
        title={profile.data?.title ?? name}
        action={
          profile.data && (
            <May needs="member">
              <LinkButton to="/devices" search={{ profile: name }}>
                Choose a device to age
              </LinkButton>
            </May>
          )
        }
      >
        {profile.data && (
          <May needs="member">
            <ProfileActions profile={profile.data} onDeleted={() => void navigate({ to: "/profiles" })} />
          </May>
        )}
      </PageHeader>
      <Panel query={profile} skeleton={skeleton}>
        {(data) => (
          <div className="patina-stack">
            <ProfileView profile={data} />
            <SavedForecast profile={data} />
            <VersionList profile={data} />
            <UsedBy profile={data} />
          </div>
        )}
      </Panel>
    </>
  );
}
