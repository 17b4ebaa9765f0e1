// Two images side by side: bytes, figures, layout reports and recipes.
import { useQuery } from "@tanstack/react-query";
import type { Image, Layout } from "../../../api/client";
import { BlockMap } from "../../../shared/chart/grid/BlockMap";
import { cellsOfMap } from "../../../shared/chart/grid/blockMap";
import { HistogramFigure } from "../../../shared/chart/histogram/HistogramFigure";
import { freeSpaceBins } from "../../../shared/chart/histogram/histogram";
import { layoutQuery } from "../queries";
import { BytesDifference } from "./BytesDifference";
import { CompareTable } from "./CompareTable";
import { figureRows, layoutRows, recipeDifferences } from "./words";

function OneLayout({ image, layout }: { image: Image; layout: Layout | null }) {
  return (
    <div className="patina-stack">
      <h3 className="mono">{image.name}</h3>
      {layout === null ? (
        <p className="patina-quiet">Layout not measured.</p>
      ) : (
        <>
          {layout.block_map != null && <BlockMap cells={cellsOfMap(layout.block_map)} />}
          <HistogramFigure axis="free_extents" bins={freeSpaceBins(layout.free_extents)} ticks={5} />
        </>
      )}
    </div>
  );
}

function Recipes({ first, second }: Props) {
  const rows = recipeDifferences(first, second);
  if (rows === null) return null; // imported without one
  return (
    <section aria-labelledby="recipes">
      <div className="patina-section">
        <h2 id="recipes">Recipes</h2>
        <span>Members that differ</span>
      </div>
      {rows.length === 0 ? (
        <p>The recipes are equal.</p>
      ) : (
        <CompareTable caption="Recipes" names={[first.name, second.name]} rows={rows} />
      )}
    </section>
  );
}

interface Props {
  first: Image;
  second: Image;
}

export function CompareImages({ first, second }: Props) {
  const layouts = [useQuery(layoutQuery(first.id)), useQuery(layoutQuery(second.id))] as const;
  const [left, right] = [layouts[0].data ?? null, layouts[1].data ?? null];
  const isPending = layouts.some((layout) => layout.isPending);
  return (
    <div className="patina-stack">
      <BytesDifference first={first} second={second} />
      <section aria-labelledby="figures">
        <div className="patina-section">
          <h2 id="figures">Figures and layout</h2>
          <span>Layouts were measured on the unmounted device, just before the capture</span>
        </div>
        <CompareTable
          caption="Figures and layout"
          names={[first.name, second.name]}
          rows={[...figureRows(first, second), ...layoutRows(left, right)]}
        />
      </section>
      {!isPending && (
        <div className="patina-halves">
          <OneLayout image={first} layout={left} />
          <OneLayout image={second} layout={right} />
        </div>
      )}
      <Recipes first={first} second={second} />
    </div>
  );
}
