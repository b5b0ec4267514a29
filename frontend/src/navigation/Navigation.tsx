import { Link } from "@tanstack/react-router";
import { testIds } from "../testIds";
import { Icon, type IconName } from "../ui/Icon";
import styles from "./Navigation.module.css";
import { useLastSearch } from "./useLastSearch";

/** Links to the pages. The link to the search page restores the last search. */
export function Navigation() {
  const search = useLastSearch();
  return (
    <nav className={styles.navigation} aria-label="Pages" data-testid={testIds.navigation}>
      <ul className={styles.list}>
        <li>
          <Link to="/" search={search} activeOptions={EXACT} className={styles.link}>
            <Caption icon="search" text="Search" />
          </Link>
        </li>
        <li>
          <Link to="/get-started" className={styles.link}>
            <Caption icon="start" text="Get started" />
          </Link>
        </li>
        <li>
          <Link to="/dashboards/{-$id}" params={NO_ID} activeOptions={PREFIX} className={styles.link}>
            <Caption icon="grid" text="Dashboards" />
          </Link>
        </li>
        <li>
          <Link to="/alerts/{-$id}" params={NO_ID} activeOptions={PREFIX} className={styles.link}>
            <Caption icon="bell" text="Alerts" />
          </Link>
        </li>
        <li>
          <Link to="/settings/{-$section}" params={NO_SECTION} activeOptions={PREFIX} className={styles.link}>
            <Caption icon="settings" text="Settings" />
          </Link>
        </li>
      </ul>
    </nav>
  );
}

const EXACT = { exact: true, includeSearch: false } as const;
const PREFIX = { exact: false, includeSearch: false } as const;
const NO_SECTION = {} as const;
const NO_ID = { id: undefined } as const;

function Caption({ icon, text }: { icon: IconName; text: string }) {
  return (
    <>
      <Icon name={icon} size={17} />
      <span>{text}</span>
    </>
  );
}
