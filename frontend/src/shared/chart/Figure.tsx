// The frame of every chart: its title, its notes, its tools, and the same numbers as a table.
import { ActionIcon, Table, Tooltip } from "@mantine/core";
import { IconChartHistogram, IconTable } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { Label } from "../help/Term";
import type { Saved } from "./exportPlot";
import classes from "./Figure.module.css";
import { PlotMenu } from "./PlotMenu";

export interface ChartTable {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

interface Props {
  title: string;
  unit: string;
  /** What the chart means now; null keeps its line free. */
  aside?: ReactNode;
  table: () => ChartTable;
  /** The formats that it can be saved as. */
  saved?: Saved;
  children: ReactNode;
}

function Numbers({ caption, table }: { caption: string; table: ChartTable }) {
  return (
    <div className={classes.numbers} role="region" aria-label={`${caption}, as a table`} tabIndex={0}>
      <Table withRowBorders={false} verticalSpacing={2} horizontalSpacing="xs" fz="sm">
        <Table.Thead>
          <Table.Tr>
            {table.columns.map((column) => (
              <Table.Th key={column} ta="right">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {table.rows.map((row, index) => (
            <Table.Tr key={index}>
              {row.map((cell, column) => (
                <Table.Td key={column} ta="right">
                  {cell}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

export function Figure({ title, unit, aside, table, saved, children }: Props) {
  const [asTable, setAsTable] = useState(false);
  const other = asTable ? "View as chart" : "View as table";
  return (
    <figure className={classes.figure} aria-label={title}>
      <figcaption className={classes.caption}>
        <span className={classes.title}>
          <strong>
            <Label>{title}</Label>
          </strong>{" "}
          <span className={classes.unit}>{unit}</span>
        </span>
        <span className={classes.tools} role="group" aria-label={`Tools of ${title}`}>
          <Tooltip label={other}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={28}
              aria-pressed={asTable}
              aria-label={`${title}: ${other.toLowerCase()}`}
              onClick={() => setAsTable(!asTable)}
            >
              {asTable ? <IconChartHistogram size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
          {saved !== undefined && <PlotMenu saved={saved} />}
        </span>
        {aside !== undefined && <span className={classes.aside}>{aside}</span>}
      </figcaption>
      {asTable ? <Numbers caption={title} table={table()} /> : children}
    </figure>
  );
}
