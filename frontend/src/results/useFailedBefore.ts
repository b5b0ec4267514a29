import { useState } from "react";
import type { SearchPages } from "./searchPages";

/**
 * Returns why the page before the first one could not be loaded; null if it was not requested. `pages.error` is the
 * last error only, which the next page of the list replaces or clears. This one stays until another page is the first.
 */
export function useFailedBefore(pages: SearchPages["pages"]): Error | null {
  const first = pages.data?.pages[0];
  const [[error, firstThen], setFailed] = useState<readonly [Error | null, unknown]>([null, null]);
  if (pages.isFetchPreviousPageError && !pages.isFetching && pages.error !== error)
    setFailed([pages.error, first]);
  return firstThen === first ? error : null;
}
