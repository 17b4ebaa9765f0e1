// A map of means by DID and fullness: each cell has its value, and is the darker the larger that is.
import { Figure } from "../../shared/chart/Figure";
import type { MapFigure } from "./figures";
import classes from "./FullnessMap.module.css";
import { savedMap } from "./saveMap";
import { formatRatioOf } from "./words";

/** The strongest tint: text stays readable on it. */
const MOST_PERCENT = 45;

export function FullnessMap({ figure }: { figure: MapFigure }) {
  const { title, unit, dids, fullnesses, values } = figure;
  const most = Math.max(0, ...values.flat().map((value) => value ?? 0));
  const tint = (value: number | null) => (value === null || most === 0 ? 0 : (value / most) * MOST_PERCENT);
  return (
    <Figure
      title={title}
      unit={unit}
      table={() => ({
        columns: ["Full", ...dids.map((did) => `DID ${did}`)],
        rows: fullnesses.map((fullness, row) => [
          `${Number((fullness * 100).toPrecision(6))} %`,
          ...(values[row] ?? []).map((value) => (value === null ? "–" : formatRatioOf(value).text)),
        ]),
      })}
      saved={savedMap(figure)}
    >
      <div className={classes.frame} role="region" aria-label={`${title}, scrollable`} tabIndex={0}>
        <table className={classes.map}>
          <thead>
            <tr>
              <th scope="col">full, DID</th>
              {dids.map((did) => (
                <th key={did} scope="col">
                  {did}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fullnesses.map((fullness, row) => (
              <tr key={fullness}>
                <th scope="row">{Number((fullness * 100).toPrecision(6))} %</th>
                {(values[row] ?? []).map((value, column) => (
                  <td
                    key={dids[column]}
                    title={value === null ? undefined : formatRatioOf(value).exact}
                    style={{
                      background: `color-mix(in srgb, var(--patina-observed) ${tint(value).toFixed(1)}%, transparent)`,
                    }}
                  >
                    {value === null ? "–" : formatRatioOf(value).text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Figure>
  );
}
