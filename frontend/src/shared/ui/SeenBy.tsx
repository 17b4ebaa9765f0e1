// Who sees something: everyone on this server, a team, or its account alone.
import { Select } from "@mantine/core";
import { useQuery, type UseMutationResult } from "@tanstack/react-query";
import type { Shared, Sharing } from "../../api/client";
import { meQuery } from "../me";
import { RefusalNotice } from "./RefusalNotice";
import classes from "./SeenBy.module.css";

/** Returns the value of the choice: a visibility, or team and its number. */
function chosen({ visibility, team_id }: Shared): string {
  return visibility === "team" ? `team ${team_id}` : visibility;
}

function nameOf({ visibility, team_name }: Shared): string {
  if (visibility === "team") return `Team ${team_name}`;
  return visibility === "private" ? "Its account alone" : "Everyone here";
}

/** Reports whether this browser's account may change it. */
export function useMayChange({ is_changeable }: Shared): boolean {
  const { data: me } = useQuery(meQuery);
  return is_changeable && me?.role != null && me.role !== "viewer";
}

interface Props {
  shared: Shared;
  share: Pick<UseMutationResult<unknown, Error, Sharing>, "mutate" | "isPending" | "isError" | "error">;
}

export function SeenBy({ shared, share }: Props) {
  const { data: me } = useQuery(meQuery);
  const mayChange = useMayChange(shared);
  if (!mayChange || me === undefined)
    return <span className="patina-quiet">Seen by: {nameOf(shared).toLowerCase()}</span>;
  const teams = me.teams.map(({ id, name }) => ({ value: `team ${id}`, label: `Team ${name}` }));
  const isMine = shared.account_name === null || shared.account_name === me.account?.name;
  const options = [
    { value: "everyone", label: "Everyone here" },
    ...teams,
    { value: "private", label: isMine ? "Only you" : "Its account alone" },
  ];
  const isListed = options.some(({ value }) => value === chosen(shared));
  const change = (value: string) => {
    const [visibility, team] = value.split(" ");
    if (value !== chosen(shared))
      share.mutate({
        visibility: visibility as Shared["visibility"],
        team_id: team === undefined ? null : Number(team),
      });
  };
  return (
    <div className={classes.seen}>
      <span aria-hidden className="patina-quiet">
        Seen by
      </span>
      <Select
        aria-label="Seen by"
        w={190}
        data={isListed ? options : [...options, { value: chosen(shared), label: nameOf(shared) }]}
        value={chosen(shared)}
        onChange={(value) => value !== null && change(value)}
        disabled={share.isPending}
        allowDeselect={false}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      {share.isError && <RefusalNotice error={share.error} />}
    </div>
  );
}
