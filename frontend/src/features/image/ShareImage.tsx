// Who sees an image: everyone on this server, a team, or its account alone.
import { Button, Group, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Image } from "../../api/client";
import { meQuery } from "../../shared/me";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { ImageLinks } from "./ImageLinks";
import { useShareImage } from "./queries";

/** Returns the value of the choice: a visibility, or team and its number. */
function chosen({ visibility, team_id }: Image): string {
  return visibility === "team" ? `team ${team_id}` : visibility;
}

function nameOf({ visibility, team_name }: Image): string {
  if (visibility === "team") return `Team ${team_name}`;
  return visibility === "private" ? "Its account alone" : "Everyone here";
}

export function ShareImage({ image }: { image: Image }) {
  const { data: me } = useQuery(meQuery);
  const share = useShareImage(image);
  const [isLinking, setLinking] = useState(false);
  if (!image.is_changeable || me?.role == null || me.role === "viewer")
    return <span className="patina-quiet">Seen by: {nameOf(image).toLowerCase()}</span>;
  const teams = me.teams.map(({ id, name }) => ({ value: `team ${id}`, label: `Team ${name}` }));
  const options = [
    { value: "everyone", label: "Everyone here" },
    ...teams,
    { value: "private", label: image.account_name === me.account?.name ? "Only you" : "Its account alone" },
  ];
  const isListed = options.some(({ value }) => value === chosen(image));
  const change = (value: string) => {
    const [visibility, team] = value.split(" ");
    if (value !== chosen(image))
      share.mutate({
        visibility: visibility as Image["visibility"],
        team_id: team === undefined ? null : Number(team),
      });
  };
  return (
    <div>
      <Group gap="xs">
        <Select
          aria-label="Seen by"
          w={190}
          data={isListed ? options : [...options, { value: chosen(image), label: nameOf(image) }]}
          value={chosen(image)}
          onChange={(value) => value !== null && change(value)}
          disabled={share.isPending}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
        <Button variant="default" onClick={() => setLinking(true)}>
          Link…
        </Button>
      </Group>
      {isLinking && <ImageLinks image={image} onClose={() => setLinking(false)} />}
      {share.isError && <RefusalNotice error={share.error} />}
    </div>
  );
}
