// Brings a file into the catalog; below, the files on their way and how the last ones ended.
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Intake } from "../../api/client";
import { ImportForm } from "../../features/intake/ImportForm";
import { IntakeRow } from "../../features/intake/IntakeRow";
import { intakesQuery } from "../../features/intake/queries";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";

function Title({ intake }: { intake: Intake }) {
  if (intake.image === null) return <span className="mono">{intake.request.name}</span>;
  return (
    <Link to="/images/$imageId" params={{ imageId: String(intake.image.id) }} className="patina-link mono">
      {intake.image.name}
    </Link>
  );
}

export function ImportPage() {
  const intakes = useQuery(intakesQuery);
  return (
    <>
      <PageHeader title="Import an image">
        A raw or qcow2 file becomes an image like those that Patina made: restored, downloaded and compared
        the same way. It has no recipe.
      </PageHeader>
      <div className="patina-stack">
        <ImportForm />
        <section aria-labelledby="imports">
          <h2 id="imports">Imports</h2>
          <Panel query={intakes} skeleton={<Skeleton height={120} />}>
            {(items) =>
              items.length === 0 ? (
                <p className="patina-quiet">
                  Nothing was imported yet. What you choose above is shown here on its way.
                </p>
              ) : (
                <ul className="patina-list" aria-label="Imports">
                  {items.map((intake) => (
                    <IntakeRow key={intake.id} intake={intake} title={<Title intake={intake} />} />
                  ))}
                </ul>
              )
            }
          </Panel>
        </section>
      </div>
    </>
  );
}
