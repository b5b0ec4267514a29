import styles from "./Section.module.css";

interface ScrolledTableProps {
  /** The accessible name of the table. */
  readonly label: string;
  /** Heads of the columns; "" for a column of buttons. */
  readonly heads: readonly string[];
  /** Heads of columns with numbers, which are aligned to the right. */
  readonly numbers?: readonly string[];
  /** The rows of the body. */
  readonly children: React.ReactNode;
  readonly "data-testid"?: string;
}

/** A table that scrolls sideways if the page is too narrow for it. */
export function ScrolledTable({ label, heads, numbers = [], children, ...rest }: ScrolledTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys only where it can have the focus
    <section className={styles.scroller} tabIndex={0} aria-label={label} {...rest}>
      <table className={styles.table}>
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
