import type { RouterHistory } from "@tanstack/react-router";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { decodeDashboardSearch } from "./dashboards/dashboardSearch";
import { ExplorerPage } from "./explorer/ExplorerPage";
import { NotFoundPage } from "./layout/NotFoundPage";
import { PageFailed } from "./layout/PageFailed";
import { AppShell } from "./navigation/AppShell";
import { decodeSearchState, encodeSearchState, parseSearchText, type SearchState } from "./url/searchState";
import { type LinkedView, linkedView } from "./views/linkedView";

interface RouterContext {
  /** True if the page was opened without a path, a query or a range in its address. */
  readonly isOpenedBare: boolean;
  /**
   * The saved view that the page's first address names, if that address leaves values to the view. Set to null when the
   * view is opened or skipped, because the router stays the same when another user signs in.
   */
  readonly linkedView: { current: LinkedView | null };
}

const rootRoute = createRootRouteWithContext<RouterContext>()({ component: AppShell });

const explorerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: decodeSearchState,
  component: ExplorerPage,
});

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/get-started",
  component: lazyRouteComponent(() => import("./start/GetStartedPage"), "GetStartedPage"),
});

const dashboardsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/dashboards/{-$id}",
  validateSearch: decodeDashboardSearch,
  component: lazyRouteComponent(() => import("./dashboards/DashboardsPage"), "DashboardsPage"),
});

const alertsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/alerts/{-$id}",
  component: lazyRouteComponent(() => import("./alerts/AlertsPage"), "AlertsPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/{-$section}",
  component: lazyRouteComponent(() => import("./settings/SettingsPage"), "SettingsPage"),
});

const traceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/trace/$traceId",
  component: lazyRouteComponent(() => import("./trace/TracePage"), "TracePage"),
});

export function createAppRouter(history?: RouterHistory) {
  const { pathname, search } = history?.location ?? window.location;
  return createRouter({
    routeTree: rootRoute.addChildren([
      explorerRoute,
      startRoute,
      dashboardsRoute,
      alertsRoute,
      settingsRoute,
      traceRoute,
    ]),
    context: {
      isOpenedBare: pathname === "/" && search === "",
      linkedView: { current: pathname === "/" ? linkedView(search) : null },
    },
    parseSearch: parseSearchText,
    // The address of the search page always has a state. The address of a dashboard may have a range and a refresh
    // interval, written like those of the search page. Addresses of other pages have no state.
    stringifySearch: (search) =>
      Object.keys(search).length === 0 ? "" : encodeSearchState(decodeSearchState(search)),
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: PageFailed,
    // Loads the code of a page as soon as the pointer or the focus reaches its link.
    defaultPreload: "intent",
    ...(history === undefined ? {} : { history }),
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
  interface HistoryState {
    /** The search that the page of a trace leads back to; undefined if the page was opened by its address. */
    openedFrom?: SearchState;
  }
}
