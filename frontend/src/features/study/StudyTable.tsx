// The cells of a study as a table that can be ordered and saved.
import { Button, Table, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import type { Study } from "../../api/client";
import { download } from "../../shared/chart/exportPlot";
import classes from "./StudyTable.module.css";
import { columnsOf, ordered, orderAfter, tableCsv, type Column, type Order } from "./table";

function Head({ column, order, onOrder }: { column: Column; order: Order | null; onOrder: () => void }) {
  const isSorted = order?.title === column.title;
  const direction = order?.isDescending === true ? "descending" : "ascending";
  return (
    <Table.Th
      ta={column.isNumber ? "right" : "left"}
      scope="col"
      aria-sort={isSorted ? direction : undefined}
    >
      <UnstyledButton
        className={classes.head ?? ""}
        data-sorted={isSorted}
        title={`Order by ${column.title.toLowerCase()}`}
        onClick={onOrder}
      >
        {column.title}
        <span aria-hidden>{isSorted ? (direction === "descending" ? " ↓" : " ↑") : ""}</span>
      </UnstyledButton>
    </Table.Th>
  );
}

export function StudyTable({ study }: { study: Study }) {
  const [order, setOrder] = useState<Order | null>(null);
  const columns = columnsOf(study);
  const save = () =>
    download(`study-${study.id}-cells.csv`, new Blob([tableCsv(study, order)], { type: "text/csv" }));
  return (
    <section aria-labelledby="cells">
      <div className="patina-section">
        <h2 id="cells">Cells</h2>
        <span>means over seeds ± half the width of the 95 % interval; a head orders the rows</span>
        <Button size="compact-xs" variant="default" onClick={save}>
          Save as CSV
        </Button>
      </div>
      <div className={classes.frame} tabIndex={0} role="region" aria-label="Cells, scrollable">
        <Table withRowBorders={false} verticalSpacing={4} horizontalSpacing="sm" fz="sm">
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Head
                  key={column.title}
                  column={column}
                  order={order}
                  onOrder={() => setOrder(orderAfter(order, column.title))}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ordered(study, order).map((cell) => (
              <Table.Tr key={`${cell.policy} ${cell.did_blocks} ${cell.fullness}`}>
                {columns.map((column) => (
                  <Table.Td key={column.title} ta={column.isNumber ? "right" : "left"}>
                    {column.textOf(cell)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </section>
  );
}
