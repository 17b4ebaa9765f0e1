// One team: its members, what it stores, and its retention rule.
import { useQuery } from "@tanstack/react-query";
import { Retention } from "../../features/retention/Retention";
import { TeamStorage } from "../../features/retention/TeamStorage";
import { includes, meQuery } from "../../shared/me";
import { teamsQuery } from "../../shared/teams";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { NotFoundPage } from "./NotFoundPage";
import { Rows } from "../../shared/ui/waiting/shapes";

export function TeamPage({ id }: { id: string }) {
  const team_id = Number(id);
  const teams = useQuery(teamsQuery);
  const { data: me } = useQuery(meQuery);
  const isOperator = me?.role != null && includes(me.role, "operator");
  const isShown = isOperator || me?.teams.some((team) => team.id === team_id);
  return (
    <Panel query={teams} skeleton={<Rows />}>
      {(data) => {
        const team = data.find((each) => each.id === team_id);
        if (team === undefined) return <NotFoundPage />;
        const members = team.members.map(({ name }) => name).join(", ");
        return (
          <>
            <PageHeader title={`Team ${team.name}`}>
              {members === "" ? "It has no members yet." : `Members: ${members}.`}
            </PageHeader>
            {me === undefined ? null : isShown ? (
              <div className="patina-stack">
                <TeamStorage team_id={team_id} />
                <Retention team_id={team_id} isOperator={isOperator} />
              </div>
            ) : (
              <p className="patina-quiet">Its members and operators see what it stores.</p>
            )}
          </>
        );
      }}
    </Panel>
  );
}
