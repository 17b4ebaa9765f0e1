// The teams of the own account.
import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { meQuery } from "../../shared/me";

export function MyTeams() {
  const { data: me } = useQuery(meQuery);
  if (me === undefined || me.teams.length === 0) return null;
  return (
    <section aria-labelledby="teams">
      <div className="patina-section">
        <h2 id="teams">Teams</h2>
        <span>Their members, what they store, and what goes</span>
      </div>
      <Group gap="md">
        {me.teams.map(({ id, name }) => (
          <Link key={id} to="/teams/$teamId" params={{ teamId: String(id) }} className="patina-link">
            {name}
          </Link>
        ))}
      </Group>
    </section>
  );
}
