// Imports a file into the catalog; lists running and recent imports below.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Intake } from "../../api/client";
import { ImportForm } from "../../features/intake/ImportForm";
import { IntakeRow } from "../../features/intake/IntakeRow";
import { intakesQuery } from "../../features/intake/queries";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { Rows } from "../../shared/ui/waiting/shapes";

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
        A raw or qcow2 file becomes an image that is restored, downloaded and compared like any other. It has
        no recipe.
      </PageHeader>
      <div className="patina-stack">
        <ImportForm />
        <section aria-labelledby="imports">
          <h2 id="imports">Imports</h2>
          <Panel query={intakes} skeleton={<Rows count={2} />}>
            {(items) =>
              items.length === 0 ? (
                <p className="patina-quiet">No imports yet. Files that you choose above are listed here.</p>
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
