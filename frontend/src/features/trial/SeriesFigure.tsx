// A series as a figure.
import { Figure } from "../../shared/chart/Figure";
import { PointPlot } from "../../shared/chart/points/PointPlot";
import { savedPoints } from "../../shared/chart/points/savePoints";
import { textOfInterval } from "./results";
import type { Series } from "./series";
import { tickOf } from "./words";

export function SeriesFigure({ series }: { series: Series }) {
  const { title, unit, x, lines, format } = series;
  const tick = tickOf(format);
  return (
    <Figure
      title={title}
      unit={unit}
      table={() => ({
        columns: ["Line", x, "Mean", "95 % interval"],
        rows: lines.flatMap(({ label, points }) =>
          points.map(({ at, mean, low, high }) => [
            label,
            at.toLocaleString("en-GB"),
            mean.toPrecision(5),
            textOfInterval({ low, high }),
          ]),
        ),
      })}
      saved={savedPoints(`${title}, ${unit}`, x, lines, tick)}
    >
      <PointPlot lines={lines} x={x} tick={tick} />
    </Figure>
  );
}
