import { Outlet, useRouterState } from "@tanstack/react-router";
import { SkipLink } from "../layout/SkipLink";
import { useFirstRun } from "../start/useFirstRun";
import { OpeningView } from "../views/OpeningView";
import { useFirstView } from "../views/useFirstView";
import styles from "./AppShell.module.css";
import { Navigation } from "./Navigation";

/** The frame of every page: the skip link, the navigation, and the page of the address beside it. */
export function AppShell() {
  useFirstRun();
  const opening = useFirstView();
  const isSearch = useRouterState({ select: (state) => state.location.pathname === "/" });
  return (
    <div className={styles.shell}>
      <SkipLink label={isSearch ? "Skip to the results" : "Skip to the page"} />
      <Navigation />
      {opening.isOpening && isSearch ? <OpeningView {...opening} /> : <Outlet />}
    </div>
  );
}
