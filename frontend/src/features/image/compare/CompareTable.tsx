// Values of two images side by side.
import classes from "./CompareTable.module.css";
import type { Row } from "./words";

interface Props {
  caption: string;
  names: readonly [first: string, second: string];
  rows: readonly Row[];
}

export function CompareTable({ caption, names, rows }: Props) {
  return (
    <div className={classes.scroll} role="region" aria-label={`${caption}, side by side`} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <td />
            {names.map((name, place) => (
              <th key={place} scope="col" className="mono">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, first, second }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{first}</td>
              <td className={first === second ? classes.same : undefined}>{second}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
