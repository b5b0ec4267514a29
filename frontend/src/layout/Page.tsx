import { useEffect } from "react";
import { Header } from "./Header";
import styles from "./Page.module.css";

interface PageProps {
  readonly title: string;
  /** True for a page that uses the whole width, such as one with a table. */
  readonly isWide?: boolean;
  /** Controls at the right of the heading. */
  readonly controls?: React.ReactNode;
  readonly "data-testid": string;
  readonly children: React.ReactNode;
}

/** A page of text and forms with its heading. `title` is also the title of the browser tab. */
export function Page({ title, isWide = false, controls, "data-testid": testId, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Logsieve`;
  }, [title]);
  return (
    <div className={styles.page} data-testid={testId}>
      <Header />
      <main className={styles.main} tabIndex={-1}>
        <div className={styles.content} data-wide={isWide}>
          <div className={styles.head}>
            <h1 className={styles.title}>{title}</h1>
            {controls}
          </div>
          {children}
        </div>
      </main>
    </div>
  );
}

/** The sentences under a page's heading. */
export function Lead({ children }: { children: React.ReactNode }) {
  return <p className={styles.lead}>{children}</p>;
}
