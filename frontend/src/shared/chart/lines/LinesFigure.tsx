// Lines over the axis of their group, with a key that says what each has under the pointer, or last.
import { Figure, type ChartTable } from "../Figure";
import { newestOf, thinned, together, valueAt, type Curve } from "./curves";
import type { LineSpec, PlotMark } from "./drawing";
import { Readings } from "./Readings";
import classes from "./LinesFigure.module.css";
import { LivePlot } from "./LivePlot";
import { quantityOver, usePlotGroup, usePoint } from "./PlotGroup";
import { savedLines } from "./saveLines";
import type { Quantity } from "./ticks";

const TABLE_ROWS = 200;
const NOTHING: readonly never[] = [];

export interface Line extends LineSpec {
  curve: Curve;
}

interface Props {
  title: string;
  unit: string;
  lines: readonly Line[];
  quantity: Quantity;
  height: number;
  isLogarithmic?: boolean;
  /** Values that the vertical axis always includes. */
  include?: readonly number[];
  /** The meaning of the newest values. */
  now?: string | null;
  marks?: readonly PlotMark[];
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

interface ReadingsProps {
  lines: readonly Line[];
  newest: readonly (string | null)[];
  now: string | null;
  x: Quantity;
  say: (value: number | null) => string | null;
}

/** The values under the pointer, or the newest ones. */
function PointedReadings({ lines, newest, now, x, say }: ReadingsProps) {
  const { at } = usePoint();
  if (at === null)
    return (
      <Readings
        lines={lines}
        values={newest}
        place={now === null ? "Newest sample" : `Newest sample: ${now}`}
      />
    );
  const values = lines.map(({ curve }) => say(valueAt(curve, at)));
  return <Readings lines={lines} values={values} place={`at ${x.format(at).text}`} />;
}

export function LinesFigure(props: Props) {
  const { title, unit, lines, quantity, height, isLogarithmic = false, now = null } = props;
  const { include = NOTHING, marks = NOTHING } = props;
  const { over, all, view, setView } = usePlotGroup();
  const x = quantityOver[over];
  const say = (value: number | null) => (value === null ? null : quantity.format(value).text);
  const newest = lines.map(({ curve }) => say(newestOf(curve)));
  const isEmpty = newest.every((said) => said === null);
  const table = (): ChartTable => {
    const [xs] = together(lines.map(({ curve }) => thinned(curve, view ?? all, TABLE_ROWS)));
    const stride = Math.max(1, Math.ceil(xs.length / TABLE_ROWS));
    const shown = xs.filter((_, row) => row % stride === 0 || row === xs.length - 1);
    return {
      columns: [capitalized(over), ...lines.map(({ label }) => label)],
      rows: shown.map((place) => [
        x.format(place).text,
        ...lines.map(({ curve }) => say(valueAt(curve, place)) ?? "–"),
      ]),
    };
  };
  const said = lines.flatMap(({ label }, index) =>
    newest[index] == null ? [] : [`${label} ${newest[index]}`],
  );
  return (
    <Figure
      title={title}
      unit={unit}
      saved={savedLines({ title: `${title} over ${over}`, over, lines, quantity, x, isLogarithmic, marks })}
      table={table}
    >
      {isEmpty ? (
        <p className={classes.empty} style={{ height }}>
          Nothing measured yet.
        </p>
      ) : (
        <LivePlot
          key={`${over} ${lines.map(({ label, ink }) => `${label} ${ink}`).join()}`} // a plot is made for its lines
          lines={lines}
          curves={lines.map(({ curve }) => curve)}
          {...{ height, isLogarithmic, include, marks, x, all, view }}
          y={quantity}
          label={`${title} over ${over}, now: ${said.join(", ")}`}
          onView={setView}
        />
      )}
      <PointedReadings lines={lines} newest={newest} now={now} x={x} say={say} />
    </Figure>
  );
}
