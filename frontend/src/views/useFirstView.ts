import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouteContext, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type ApiProblem, asProblem } from "../api/problem";
import { useSession } from "../session/SessionContext";
import { useFirstUse } from "../ui/useFirstUse";
import { DEFAULT_STATE, encodeSearchState } from "../url/searchState";
import { useViewList } from "./viewQueries";
import { stateOf } from "./viewState";

export interface FirstView {
  /** True while the view that the address names is read, and if it cannot be read. */
  readonly isOpening: boolean;
  readonly problem: ApiProblem | null;
  readonly onRetry: () => void;
  /** Shows the search page without the view. */
  readonly onSkip: () => void;
}

/**
 * Opens the view that the page's first address names, once, unless the user goes to another page before the view is
 * read. Values of the address replace values of the view. If the page was opened without a search, opens the tenant's
 * default view when it is known, unless the user has started to use the page before.
 */
export function useFirstView(): FirstView {
  const { views, tenant } = useSession();
  const { linkedView, isOpenedBare } = useRouteContext({ from: "__root__" });
  const navigate = useNavigate();
  const [linked] = useState(linkedView.current);
  const [isOpening, setOpening] = useState(linked !== null);
  const [waits, setWaits] = useState(isOpenedBare);
  const isSearch = useRouterState({ select: ({ location }) => location.pathname === "/" });
  const isUntouched = useRouterState({
    select: ({ location }) =>
      location.pathname === "/" &&
      encodeSearchState({ ...DEFAULT_STATE, ...location.search }) === encodeSearchState(DEFAULT_STATE),
  });
  // A default view that opened now would replace the text that the user types.
  useFirstUse(waits, () => setWaits(false));
  const { data: listed } = useViewList(waits);
  const defaultId = listed?.find((view) => view.is_default)?.id ?? null;
  const id = linked?.id ?? (waits ? defaultId : null);
  const {
    data: view,
    error,
    refetch,
  } = useQuery({
    queryKey: ["view", tenant, id],
    queryFn: ({ signal }) => views.view(id ?? "", signal),
    enabled: id !== null && (isOpening || waits),
  });
  useEffect(() => {
    if (isOpening && isSearch) return;
    linkedView.current = null;
    setOpening(false);
  }, [isOpening, isSearch, linkedView]);
  useEffect(() => {
    const isWanted = (isOpening && isSearch) || (waits && isUntouched);
    if (waits && (!isUntouched || (listed !== undefined && defaultId === null))) setWaits(false);
    if (!isWanted || view === undefined) return;
    setOpening(false);
    setWaits(false);
    void navigate({
      to: "/",
      search: { ...DEFAULT_STATE, ...stateOf(view), ...linked?.given, view: view.id },
      replace: true,
    });
  }, [isOpening, isSearch, waits, isUntouched, listed, defaultId, view, linked, navigate]);
  return {
    isOpening,
    problem: error === null ? null : asProblem(error),
    onRetry: () => void refetch(),
    onSkip: () => {
      setOpening(false);
      void navigate({ to: "/", search: { ...DEFAULT_STATE, ...linked?.given }, replace: true });
    },
  };
}
