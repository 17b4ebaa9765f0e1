// The teams of the server, their members, and a form that makes another.
import { Button, Group, MultiSelect, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState, type SyntheticEvent } from "react";
import type { Account, Team } from "../../api/client";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useChangeMembers, useMakeTeam, useRemoveTeam } from "./queries";
import classes from "./Rows.module.css";

function TeamRow({ team, accounts }: { team: Team; accounts: readonly Account[] }) {
  const change = useChangeMembers(team);
  const remove = useRemoveTeam();
  const open = accounts.filter(({ closed_at }) => closed_at === null);
  const ids = team.members.map(({ id }) => String(id));
  const listed = [...open, ...team.members.filter(({ id }) => !open.some((account) => account.id === id))];
  return (
    <li className={classes.row} aria-label={`Team ${team.name}`}>
      <Link
        to="/teams/$teamId"
        params={{ teamId: String(team.id) }}
        className={`patina-link ${classes.name}`}
      >
        {team.name}
      </Link>
      <MultiSelect
        className={classes.members ?? ""}
        aria-label={`Members of ${team.name}`}
        placeholder={ids.length === 0 ? "No members yet" : ""}
        data={listed.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={ids}
        onChange={(values) => change.mutate(values)}
        disabled={change.isPending}
        searchable
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      <span className={classes.actions}>
        <Button
          variant="subtle"
          color="copper"
          loading={remove.isPending}
          onClick={() => remove.mutate(team.id)}
          aria-label={`Remove the team ${team.name}`}
        >
          Remove
        </Button>
      </span>
      {change.isError && <RefusalNotice error={change.error} />}
      {remove.isError && <RefusalNotice error={remove.error} />}
    </li>
  );
}

export function Teams({ teams, accounts }: { teams: readonly Team[]; accounts: readonly Account[] }) {
  const make = useMakeTeam();
  const [name, setName] = useState("");
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    make.mutate(name.trim(), { onSuccess: () => setName("") });
  };
  return (
    <>
      {teams.length > 0 && (
        <ul className="patina-list" aria-label="Teams">
          {teams.map((team) => (
            <TeamRow key={team.id} team={team} accounts={accounts} />
          ))}
        </ul>
      )}
      <form onSubmit={submit}>
        <Group gap="xs" mt="md" align="flex-end">
          <TextInput
            label="New team"
            placeholder="lab"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={39}
            autoCapitalize="none"
            required
          />
          <Button type="submit" variant="default" loading={make.isPending} disabled={name.trim() === ""}>
            Make the team
          </Button>
        </Group>
        {make.isError && <RefusalNotice error={make.error} />}
      </form>
    </>
  );
}
