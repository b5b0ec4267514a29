import { memo } from "react";
import type { Order } from "../api/types";
import { ColumnHead } from "../columns/ColumnHead";
import type { Columns } from "../columns/columns";
import type { DraggedColumn } from "../columns/columnTracks";
import { usePreferences } from "../preferences/preferences";
import { Icon } from "../ui/Icon";
import styles from "./ResultList.module.css";

interface ListHeadProps {
  readonly columns: Columns;
  /** Order of the rows by time; null for rows in their order of arrival. */
  readonly order: Order | null;
  /** Called while the edge of a column is dragged, and with null when a drag ends without a change. */
  readonly onDrag: (dragged: DraggedColumn | null) => void;
  readonly onChange: (columns: Columns) => void;
}

const ARIA_SORT = { asc: "ascending", desc: "descending" } as const;

/** Heads of the columns. They are not drawn again while the rows are scrolled. */
export const ListHead = memo(function ListHead({ columns, order, onDrag, onChange }: ListHeadProps) {
  const { zone } = usePreferences();
  return (
    <div role="row" aria-rowindex={1} className={styles.head}>
      <span role="columnheader" aria-sort={order === null ? undefined : ARIA_SORT[order]}>
        Time {zone === "utc" ? "(UTC) " : ""}
        {order !== null && <Icon name={order === "asc" ? "up" : "down"} size={9} />}
      </span>
      <span role="columnheader" className={styles.level}>
        Level
      </span>
      {columns.map(({ field }) => (
        <ColumnHead
          key={field}
          field={field}
          columns={columns}
          onDrag={(width) => onDrag(width === null ? null : { field, width })}
          onChange={onChange}
        />
      ))}
    </div>
  );
});
