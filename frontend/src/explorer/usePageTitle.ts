import { useEffect } from "react";
import { usePreferences } from "../preferences/preferences";
import { fromMilliseconds } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";
import type { SearchState } from "../url/searchState";
import { pageTitle } from "./pageTitle";

/** Shows the search in the title of the tab. */
export function usePageTitle(state: SearchState, window: TimeWindow | null): void {
  const { zone } = usePreferences();
  useEffect(() => {
    document.title = pageTitle(state, window, zone, fromMilliseconds(Date.now()));
  }, [state, window, zone]);
}
