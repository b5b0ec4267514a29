import { useId } from "react";
import styles from "./Section.module.css";

interface PageSectionProps {
  readonly title: string;
  /** Buttons at the right of the heading. */
  readonly controls?: React.ReactNode;
  readonly children: React.ReactNode;
}

/** A part of a page under its heading. */
export function PageSection({ title, controls, children }: PageSectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {controls}
      </div>
      {children}
    </section>
  );
}
