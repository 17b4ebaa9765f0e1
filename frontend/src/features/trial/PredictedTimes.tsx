// The times of the repetitions that the models of emulated disks predict, beside those that they took.
import { Box } from "@mantine/core";
import type { Trial } from "../../api/client";
import { PredictedWord } from "../../shared/ui/Predicted";
import { Estimates } from "./Estimates";
import { predictedKind } from "./predicted";

export function PredictedTimes({ trial }: { trial: Trial }) {
  return (
    <Estimates trial={trial} title="Predicted time" kinds={[predictedKind(trial)]}>
      <Box component="p" mt="md" className="patina-quiet">
        These times are <PredictedWord />, not measured: those of whole repetitions, with their warm-up and
        the last sync, with the waits for the modelled disk.
      </Box>
    </Estimates>
  );
}
