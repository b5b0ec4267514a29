import { Icon } from "../ui/Icon";
import styles from "./Chart.module.css";
import { isSameColumn, nextOrder, type RowOrder, type TableColumn } from "./sortRows";

interface SortHeadProps {
  readonly column: TableColumn;
  /** The order of the rows; null for the order of the answer. */
  readonly order: RowOrder | null;
  readonly onOrder: (order: RowOrder | null) => void;
  readonly children: React.ReactNode;
}

/** Heading of a column of the table of numbers. A click or Enter sorts the rows by the column. */
export function SortHead({ column, order, onOrder, children }: SortHeadProps) {
  const sorted = order !== null && isSameColumn(order.column, column) ? order : null;
  const direction = sorted?.isDescending ? "descending" : "ascending";
  return (
    <th
      scope="col"
      className={column.kind === "function" ? styles.number : undefined}
      aria-sort={sorted === null ? undefined : direction}
    >
      <button
        type="button"
        className={styles.sort}
        title="Sort the rows by this column"
        onClick={() => onOrder(nextOrder(order, column))}
      >
        <span>{children}</span>
        <span className={styles.direction} data-shown={sorted !== null}>
          <Icon name={sorted?.isDescending ? "down" : "up"} size={10} />
        </span>
      </button>
    </th>
  );
}
