// Stops a study, or lets one that is at rest go on. Nothing is lost by either, so neither asks.
import { Button } from "@mantine/core";
import type { Study } from "../../api/client";
import { isAtRest } from "../../shared/job";
import { RefusalNotice } from "../../shared/ui/RefusalNotice";
import { useContinueStudy, useStopStudy } from "./queries";

export function SteerStudy({ study }: { study: Study }) {
  const stop = useStopStudy(study.id);
  const goOn = useContinueStudy(study.id);
  const isResting = isAtRest(study.state);
  if (study.state === "canceling" || study.state === "succeeded") return null;
  const act = isResting ? goOn : stop;
  return (
    <>
      <Button variant={isResting ? "filled" : "default"} loading={act.isPending} onClick={() => act.mutate()}>
        {isResting ? "Go on" : "Stop"}
      </Button>
      {act.isError && <RefusalNotice error={act.error} />}
    </>
  );
}
