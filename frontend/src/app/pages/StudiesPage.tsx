// Every study, newest first.
import { useInfiniteQuery } from "@tanstack/react-query";
import { StudyRow } from "../../features/study/StudyRow";
import { studiesQuery } from "../../features/study/queries";
import { Empty } from "../../shared/ui/Empty";
import { LinkButton } from "../../shared/ui/LinkButton";
import { May } from "../../shared/ui/May";
import { PageHeader } from "../../shared/ui/PageHeader";
import { Panel } from "../../shared/ui/Panel";
import { ShowOlder } from "../../shared/ui/ShowOlder";
import { Rows } from "../../shared/ui/waiting/shapes";

function NewStudy() {
  return (
    <May needs="member">
      <LinkButton to="/studies/new">New study</LinkButton>
    </May>
  );
}

export function StudiesPage() {
  const studies = useInfiniteQuery(studiesQuery);
  return (
    <>
      <PageHeader title="Studies" action={<NewStudy />}>
        What shingled disks cost: simulations, which need no device.
      </PageHeader>
      <Panel query={studies} skeleton={<Rows />}>
        {({ pages }) =>
          pages[0]?.items.length === 0 ? (
            <Empty title="No study yet" action={<NewStudy />}>
              A study simulates shingled disks under several policies, each with several seeds: how large a
              disk must be for its files, or what is moved to give space back.
            </Empty>
          ) : (
            <>
              <ul className="patina-list" aria-label="Studies">
                {pages
                  .flatMap((page) => page.items)
                  .map((study) => (
                    <StudyRow key={study.id} study={study} />
                  ))}
              </ul>
              <ShowOlder query={studies} what="studies" mt="md" />
            </>
          )
        }
      </Panel>
    </>
  );
}
