// Latencies of one operation of one workload, on each image: quantiles over all repetitions.
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Trial } from "../../api/client";
import { Figure } from "../../shared/chart/Figure";
import { formatLatency, seconds } from "../../shared/units";
import { chosenOf, latenciesOf, operationsOf } from "./latencies";
import { LatencyPlot } from "./LatencyPlot";
import { savedLatencies } from "./saveLatencies";
import { measurementsQuery } from "./queries";

export function Latencies({ trial }: { trial: Trial }) {
  const done = trial.repetitions.filter(({ state }) => state === "done").length;
  const { data = [] } = useQuery(measurementsQuery(trial.id, done));
  const operations = operationsOf(trial, data);
  const [chosen, setChosen] = useState<string | null>(null);
  const operation = chosenOf(operations, chosen);
  if (operation === undefined) return null;
  const lines = latenciesOf(trial, data, operation);
  const title = `Latency of ${operation.label}`;
  return (
    <section aria-labelledby="latencies">
      <div className="patina-section">
        <h2 id="latencies">Latencies</h2>
        <Select
          aria-label="Operation"
          size="xs"
          data={operations.map(({ key, label }) => ({ value: key, label }))}
          value={operation.key}
          onChange={setChosen}
          allowDeselect={false}
          comboboxProps={{ transitionProps: { duration: 0 } }}
          w={280}
        />
      </div>
      <Figure
        title={title}
        unit="share of operations up to each latency"
        saved={savedLatencies(title, lines)}
        table={() => ({
          columns: ["Image", "Operations", "p50", "p90", "p99", "p99.9", "max"],
          rows: lines.map(({ label, count, quantiles, max_us }) => [
            label,
            count.toLocaleString("en-GB"),
            ...quantiles.map(({ us }) => formatLatency(seconds(us / 1e6)).text),
            formatLatency(seconds(max_us / 1e6)).text,
          ]),
        })}
      >
        <LatencyPlot lines={lines} />
      </Figure>
    </section>
  );
}
