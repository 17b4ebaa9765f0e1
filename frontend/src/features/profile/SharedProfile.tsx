// A profile as its link shows it: its histograms, and the newest version as a file.
import { Button, Group } from "@mantine/core";
import type { Profile } from "../../api/client";
import { Copyable } from "../../shared/ui/Copyable";
import { SharedFrame } from "../../shared/ui/SharedFrame";
import { ProfileView } from "./ProfileView";
import { exportAddress, exportFormats } from "./words";

export function SharedProfile({ profile }: { profile: Profile }) {
  const { name, title, latest_version } = profile;
  return (
    <SharedFrame
      title={title}
      about={`Profile ${name}, version ${latest_version.number}`}
      accountName={profile.account_name}
      action={
        <Group gap="xs">
          {exportFormats.map(({ format, title: named }) => (
            <Button
              key={format}
              component="a"
              variant="default"
              href={exportAddress(name, latest_version.number, format)}
              download
            >
              {named}
            </Button>
          ))}
        </Group>
      }
    >
      <ProfileView profile={profile} />
      <p className="patina-quiet">
        Digest <Copyable text={latest_version.digest} what="the digest" />
      </p>
    </SharedFrame>
  );
}
