// The numbers of a histogram as a table, to read and to edit.
import { memo } from "react";
import type { HistogramName } from "../../../../api/client";
import { parseNumber } from "../../../../shared/units";
import classes from "./BinTable.module.css";
import { totalOf, type EditedBins } from "../draft/bin";
import type { Flaw } from "../draft/flaw";
import type { DraftStore } from "../draft/store";
import { edgeText, edgeTitles, parseEdge } from "./typed";
import { TypedCell } from "./TypedCell";
import { typedOf, weightOf, type WeightUnit } from "./weightUnit";

interface Props {
  store: DraftStore;
  histogram: HistogramName;
  bins: EditedBins;
  unit: WeightUnit;
  flaws: readonly Flaw[];
}

function BinTableNow({ store, histogram, bins, unit, flaws }: Props) {
  const total = totalOf(bins);
  const flawOf = (index: number, field: Flaw["field"]) =>
    flaws.find((flaw) => flaw.index === index && flaw.field === field)?.message ?? null;
  const hasDirectories = histogram === "depth";
  return (
    <div
      className={classes.scroll}
      role="region"
      aria-label={`Bins of ${histogram}, as a table`}
      tabIndex={0}
    >
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{edgeTitles[histogram]}</th>
            <th scope="col">{unit === "count" ? "Files" : "Percent"}</th>
            {hasDirectories && <th scope="col">Directories</th>}
          </tr>
        </thead>
        <tbody>
          {bins.map((bin, index) => (
            <tr key={index}>
              <td>
                <TypedCell
                  label={`${edgeTitles[histogram]} of bin ${index + 1}`}
                  text={edgeText(histogram, bin.edge)}
                  flaw={flawOf(index, "edge")}
                  parse={(typed) => parseEdge(histogram, typed)}
                  onTake={(edge) => store.dispatch({ type: "set_edge", histogram, index, edge })}
                />
              </td>
              <td>
                <TypedCell
                  label={`${unit === "count" ? "Files" : "Percent"} of bin ${index + 1}`}
                  text={typedOf(bin.weight, total, unit)}
                  flaw={flawOf(index, "weight")}
                  parse={parseNumber}
                  onTake={(shown) => {
                    const weight = weightOf(shown, total - bin.weight, unit);
                    store.dispatch({ type: "set_weight", histogram, index, weight });
                  }}
                />
              </td>
              {hasDirectories && (
                <td>
                  <TypedCell
                    label={`Directories of bin ${index + 1}`}
                    text={String(bin.subdirs)}
                    flaw={flawOf(index, "subdirs")}
                    parse={parseNumber}
                    onTake={(subdirs) => store.dispatch({ type: "set_subdirs", histogram, index, subdirs })}
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const BinTable = memo(BinTableNow);
