// The tools for the chosen bars; always shown, so that the layout does not move when a bar is chosen.
import { Button } from "@mantine/core";
import { memo, useState } from "react";
import type { HistogramName } from "../../../../api/client";
import { formatEdge, parseNumber } from "../../../../shared/units";
import { totalOf, type EditedBins } from "../draft/bin";
import { edgeAfter, type BinRange } from "../draft/edit";
import { rangeOf, type Selection } from "./selection";
import classes from "./SelectionTools.module.css";
import type { DraftAction } from "../draft/draft";
import { edgeText, edgeTitles, parseEdge } from "../table/typed";
import { TypedCell } from "../table/TypedCell";
import { typedOf, weightOf, type WeightUnit } from "../table/weightUnit";

interface Props {
  histogram: HistogramName;
  bins: EditedBins;
  unit: WeightUnit;
  selection: Selection | null;
  onEdit: (action: DraftAction, next?: Selection) => void;
  onChoose: (selection: Selection) => void;
}

function Fields({ histogram, bins, unit, index, onEdit }: Props & { index: number }) {
  const bin = bins[index];
  if (bin === undefined) return null;
  const total = totalOf(bins);
  return (
    <div className={classes.fields}>
      <div>
        <span>{edgeTitles[histogram]}</span>
        <TypedCell
          label={`${edgeTitles[histogram]} of the chosen ${histogram} bin`}
          text={edgeText(histogram, bin.edge)}
          parse={(typed) => parseEdge(histogram, typed)}
          onTake={(edge) => onEdit({ type: "set_edge", histogram, index, edge })}
        />
      </div>
      <div>
        <span>{unit === "count" ? "Files" : "Percent"}</span>
        <TypedCell
          label={`${unit === "count" ? "Files" : "Percent"} of the chosen ${histogram} bin`}
          text={typedOf(bin.weight, total, unit)}
          parse={parseNumber}
          onTake={(shown) =>
            onEdit({
              type: "set_weight",
              histogram,
              index,
              weight: weightOf(shown, total - bin.weight, unit),
            })
          }
        />
      </div>
      {histogram === "depth" && (
        <div>
          <span>Directories</span>
          <TypedCell
            label="Directories of the chosen depth bin"
            text={String(bin.subdirs)}
            parse={parseNumber}
            onTake={(subdirs) => onEdit({ type: "set_subdirs", histogram, index, subdirs })}
          />
        </div>
      )}
    </div>
  );
}

interface BinButtonsProps extends Pick<Props, "histogram" | "onEdit"> {
  index: number;
  canAdd: boolean;
  canRemove: boolean;
}

/** Renders again only for another bin, not for another weight: a drag changes one with every frame. */
const BinButtons = memo(function BinButtons({
  histogram,
  index,
  canAdd,
  canRemove,
  onEdit,
}: BinButtonsProps) {
  const next = { anchor: index + 1, focus: index + 1 };
  return (
    <div className={classes.buttons}>
      <Button
        variant="default"
        size="compact-sm"
        disabled={!canAdd}
        onClick={() => onEdit({ type: "insert", histogram, index }, next)}
      >
        Add a bin after
      </Button>
      <Button variant="default" size="compact-sm" onClick={() => onEdit({ type: "split", histogram, index })}>
        Split
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        disabled={!canRemove}
        onClick={() => onEdit({ type: "remove", histogram, first: index, last: index })}
      >
        Remove
      </Button>
    </div>
  );
});

function RangeButtons({ histogram, bins, range, onEdit }: Props & { range: BinRange }) {
  const [factor, setFactor] = useState(2);
  const one = { anchor: range.first, focus: range.first };
  const isAll = range.last - range.first + 1 === bins.length;
  return (
    <div className={classes.buttons}>
      <span className={classes.scale}>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => onEdit({ type: "scale", histogram, ...range, factor })}
        >
          Scale by
        </Button>
        <span className={classes.factor}>
          <TypedCell
            label={`Factor to scale the ${histogram} bins by`}
            text={String(factor)}
            parse={parseNumber}
            onTake={setFactor}
          />
        </span>
      </span>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => onEdit({ type: "smooth", histogram, ...range })}
      >
        Smooth
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => onEdit({ type: "merge", histogram, ...range }, one)}
      >
        Merge
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        disabled={isAll}
        onClick={() => onEdit({ type: "remove", histogram, ...range }, one)}
      >
        Remove
      </Button>
    </div>
  );
}

function NothingChosen({ histogram, bins, onEdit, onChoose }: Props) {
  const last = bins.length - 1;
  return (
    <div className={classes.tools}>
      <div className={classes.buttons}>
        <Button
          variant="default"
          size="compact-sm"
          disabled={edgeAfter(histogram, bins, last) === null}
          onClick={() =>
            onEdit({ type: "insert", histogram, index: last }, { anchor: last + 1, focus: last + 1 })
          }
        >
          Add a bin at the end
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          disabled={last < 1}
          onClick={() => onChoose({ anchor: 0, focus: last })}
        >
          Choose all
        </Button>
      </div>
    </div>
  );
}

export function SelectionTools(props: Props) {
  const { histogram, bins, selection } = props;
  if (selection === null) return <NothingChosen {...props} />;
  const range = rangeOf(selection);
  const isOne = range.first === range.last;
  const say = (index: number) => formatEdge(histogram, bins[index]?.edge ?? 0);
  return (
    <div className={classes.tools} role="group" aria-label={`The chosen bins of ${histogram}`}>
      {isOne ? (
        <>
          <Fields {...props} index={range.first} />
          <BinButtons
            histogram={histogram}
            index={range.first}
            canAdd={edgeAfter(histogram, bins, range.first) !== null}
            canRemove={bins.length > 1}
            onEdit={props.onEdit}
          />
        </>
      ) : (
        <>
          <p>
            {range.last - range.first + 1} bins, {say(range.first)} to {say(range.last)}
          </p>
          <RangeButtons {...props} range={range} />
        </>
      )}
    </div>
  );
}
