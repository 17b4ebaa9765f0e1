// The figures of a study: bars of capacity, lines and maps of cleaning.
import { Box } from "@mantine/core";
import type { Study } from "../../api/client";
import { BarPlot } from "../../shared/chart/bars/BarPlot";
import { savedBars } from "../../shared/chart/bars/saveBars";
import { Figure } from "../../shared/chart/Figure";
import { PointPlot } from "../../shared/chart/points/PointPlot";
import { savedPoints } from "../../shared/chart/points/savePoints";
import { shortened, type Formatted } from "../../shared/units";
import { barFiguresOf, lineFiguresOf, mapFiguresOf, type BarsFigure, type LinesFigure } from "./figures";
import { FullnessMap } from "./FullnessMap";
import { formatRatioOf, formatShare } from "./words";

const ticked = (format: (value: number) => Formatted) => (value: number) => shortened(format(value));
const tickOfShare = ticked(formatShare);
const tickOfRatio = ticked(formatRatioOf);
const FULL = "% full";

const rangeOf = (low: number | null, high: number | null, format: (value: number) => Formatted) =>
  low === null || high === null ? "–" : `${format(low).text} to ${format(high).text}`;

function Bars({ figure: { title, unit, groups } }: { figure: BarsFigure }) {
  return (
    <Figure
      title={title}
      unit={unit}
      table={() => ({
        columns: ["DID", "Policy", "Mean", "95 % interval"],
        rows: groups.flatMap(({ label, bars }) =>
          bars.map(({ label: policy, text, low, high }) => [
            label,
            policy,
            text,
            rangeOf(low, high, formatShare),
          ]),
        ),
      })}
      saved={savedBars(`${title}, ${unit}`, unit, groups, tickOfShare)}
    >
      <BarPlot groups={groups} tick={tickOfShare} />
    </Figure>
  );
}

function Lines({ figure: { title, unit, lines } }: { figure: LinesFigure }) {
  return (
    <Figure
      title={title}
      unit={unit}
      table={() => ({
        columns: ["Policy", FULL, "Mean", "95 % interval"],
        rows: lines.flatMap(({ label, points }) =>
          points.map(({ at, mean, low, high }) => [
            label,
            String(at),
            formatRatioOf(mean).text,
            rangeOf(low, high, formatRatioOf),
          ]),
        ),
      })}
      saved={savedPoints(`${title}, ${unit}`, FULL, lines, tickOfRatio)}
    >
      <PointPlot lines={lines} x={FULL} tick={tickOfRatio} />
    </Figure>
  );
}

export function StudyFigures({ study }: { study: Study }) {
  const [bars, lines, maps] = [barFiguresOf(study), lineFiguresOf(study), mapFiguresOf(study)];
  const isPublished = study.cells.some(({ published }) => published !== null);
  return (
    <section aria-labelledby="figures">
      <div className="patina-section">
        <h2 id="figures">Figures</h2>
      </div>
      {bars.length + lines.length + maps.length === 0 ? (
        <p className="patina-quiet">Nothing is simulated yet. Figures appear with the first result.</p>
      ) : (
        <>
          <div className="patina-halves">
            {bars.map((figure) => (
              <Bars key={figure.title} figure={figure} />
            ))}
            {lines.map((figure) => (
              <Lines key={figure.title} figure={figure} />
            ))}
            {maps.map((figure) => (
              <FullnessMap key={figure.title} figure={figure} />
            ))}
          </div>
          <Box component="p" mt="md" className="patina-quiet">
            {maps.length > 0
              ? "Cells are means over seeds."
              : "Bars and dots are means over seeds, brackets and upright strokes their 95 % intervals (Student)."}
            {isPublished &&
              " Outlined bars are the values that were published: Singh, Carnegie Mellon, 2014, section 5.3."}
            {study.settings.kind === "cleaning" &&
              ` Writing ends once ${study.settings.times} times the size are written.`}
          </Box>
        </>
      )}
    </section>
  );
}
