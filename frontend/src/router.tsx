import type { RouterHistory } from "@tanstack/react-router";
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { ExplorerPage } from "./explorer/ExplorerPage";
import { NotFoundPage } from "./layout/NotFoundPage";
import { decodeSearchState, encodeSearchState, parseSearchText } from "./url/searchState";

const rootRoute = createRootRoute();

const explorerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: decodeSearchState,
  component: ExplorerPage,
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/{-$section}",
  component: lazyRouteComponent(() => import("./settings/SettingsPage"), "SettingsPage"),
});

export function createAppRouter(history?: RouterHistory) {
  return createRouter({
    routeTree: rootRoute.addChildren([explorerRoute, settingsRoute]),
    parseSearch: parseSearchText,
    // The search page always has a state; other pages have none.
    stringifySearch: (search) =>
      Object.keys(search).length === 0 ? "" : encodeSearchState(decodeSearchState(search)),
    defaultNotFoundComponent: NotFoundPage,
    ...(history === undefined ? {} : { history }),
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
