import type { RouterHistory } from "@tanstack/react-router";
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
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

export function createAppRouter(history?: RouterHistory) {
  return createRouter({
    routeTree: rootRoute.addChildren([explorerRoute]),
    parseSearch: parseSearchText,
    stringifySearch: (search) => encodeSearchState(decodeSearchState(search)),
    defaultNotFoundComponent: NotFoundPage,
    ...(history === undefined ? {} : { history }),
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
