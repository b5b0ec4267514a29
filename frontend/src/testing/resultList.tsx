import type { ComponentProps } from "react";
import type { Log } from "../api/types";
import { ResultList } from "../results/ResultList";

type Props = ComponentProps<typeof ResultList>;

/** Returns a list of these logs, found completely, with new callbacks and the properties that a test sets. */
export function resultList(logs: readonly Log[], changes: Partial<Props> = {}): React.ReactElement {
  return (
    <ResultList
      logs={logs}
      query="a"
      order="desc"
      openId={null}
      hasMore={false}
      isLoadingMore={false}
      isStale={false}
      failure={null}
      onLoadMore={() => {}}
      onOpen={() => {}}
      {...changes}
    />
  );
}
