import styles from "./Section.module.css";

interface ScrolledTableProps {
  /** The accessible name of the table. */
  readonly label: string;
  /** Heads of the columns; "" for a column of buttons. */
  readonly heads: readonly string[];
  /** Heads of columns with numbers, which are aligned to the right. */
  readonly numbers?: readonly string[];
  /**
   * True if narrow pages show the cells of a row below each other. Each cell then needs the attribute `data-head` with
   * the head of its column.
   */
  readonly isStacked?: boolean;
  /** The rows of the body. */
  readonly children: React.ReactNode;
  readonly "data-testid"?: string;
}

/** A table that scrolls sideways, or stacks its cells, if the page is too narrow for it. */
export function ScrolledTable(props: ScrolledTableProps) {
  const { label, heads, numbers = [], isStacked = false, children, ...rest } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys only where it can have the focus
    <section className={styles.scroller} tabIndex={0} aria-label={label} {...rest}>
      <table className={styles.table} data-stacked={isStacked}>
        <thead>
          <tr>
            {heads.map((head) =>
              head === "" ? (
                <td key={head} />
              ) : (
                <th key={head} scope="col" data-align={numbers.includes(head) ? "right" : undefined}>
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
