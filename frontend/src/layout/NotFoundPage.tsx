import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { Button } from "../ui/Button";
import { Logo } from "../ui/Logo";
import headerStyles from "./Header.module.css";
import styles from "./NotFoundPage.module.css";

/** Page for an unknown address. Names the address, and offers a search of the logs and a link to the search page. */
export function NotFoundPage() {
  const path = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    document.title = "Page not found · Logsieve";
  }, []);
  return (
    <div className={styles.page} data-testid={testIds.notFound}>
      <header className={headerStyles.header}>
        <a className={headerStyles.brand} href="/">
          <Logo />
          <span>Logsieve</span>
        </a>
      </header>
      <main className={styles.main} tabIndex={-1}>
        <h1 className={styles.title}>Page not found</h1>
        <p className={styles.lead}>
          There is no page at <code>{visibleText(path)}</code>. Search the logs, or start over.
        </p>
        <search>
          <form className={styles.form} action="/">
            <input
              className={styles.field}
              type="search"
              name="query"
              aria-label="Query"
              placeholder="connection error"
            />
            <Button type="submit" tone="primary" size="large">
              Search
            </Button>
          </form>
        </search>
        <a className={styles.home} href="/">
          Go to all logs of the past hour
        </a>
      </main>
    </div>
  );
}
