import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ApiProblem } from "../api/problem";
import type { Log, Order } from "../api/types";
import { useColumns } from "../columns/ColumnsContext";
import { type Columns, MESSAGE } from "../columns/columns";
import { columnTracks, type DraggedColumn, trackStyle, withDragged } from "../columns/columnTracks";
import { createMatcher } from "../language/matchRanges";
import { positiveTerms } from "../language/positiveTerms";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { Failure } from "../ui/Failure";
import { useLatest } from "../ui/useLatest";
import { useWidth } from "../ui/useWidth";
import { ListHead } from "./ListHead";
import styles from "./ResultList.module.css";
import { ResultRow, rowId } from "./ResultRow";
import { RowSlots } from "./rowSlots";
import { lineLengthOf } from "./rowText";
import { HEAD_HEIGHT, ROW_HEIGHTS, useKeptPlace, useRevealed, useScrolledToTop } from "./scrolling";
import { isNothingSelected } from "./textSelection";
import { useListKeys } from "./useListKeys";

interface ResultListProps {
  readonly logs: readonly Log[];
  /** The query that these logs match. */
  readonly query: string;
  /** Order of the rows by time; null for rows in their order of arrival. */
  readonly order: Order | null;
  readonly openId: string | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly isStale: boolean;
  /** Identifies the search, its run and its anchor. Undefined for logs that arrive one by one. */
  readonly listId?: string;
  /** True while the same search is refreshed automatically. */
  readonly isQuiet?: boolean;
  /** True if the rows on screen stay in place when rows are added above them. */
  readonly keepsPlace?: boolean;
  /** Reason why a page could not be loaded completely. Rows that arrived before it stay. */
  readonly failure: ApiProblem | null;
  /** Content below the last row. */
  readonly endNote?: string;
  readonly onLoadMore: () => unknown;
  readonly onOpen: (id: string, how: "push" | "replace") => void;
}

/** Largest width, in CSS pixels, of a list that shows no dates and no columns but service and message. */
const NARROW = 560;

/** Smallest width, in CSS pixels, that time, level and gaps take of a row. */
const BEFORE_MESSAGE = { narrow: 130, wide: 230 } as const;

/** Number of rows before the last row at which the next page is requested. */
const AHEAD = 60;

export function ResultList(props: ResultListProps) {
  const { logs, openId, hasMore, isLoadingMore, failure, onLoadMore, onOpen } = props;
  const { zone, wrap, density } = usePreferences();
  const rowHeight = ROW_HEIGHTS[density];
  const [cursorId, setCursorId] = useState<string | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const matcher = useMemo(() => createMatcher(positiveTerms(props.query)), [props.query]);
  const { columns, setColumns } = useColumns();
  const [dragged, setDragged] = useState<DraggedColumn | null>(null);
  const tracks = useMemo(() => columnTracks(columns, logs), [columns, logs]);
  const changeColumns = useLatest((next: Columns) => {
    setDragged(null);
    setColumns(next);
  });
  // A new function would make the virtualizer go through all rows again.
  const keyOf = useCallback((index: number) => logs[index]?.id ?? index, [logs]);
  const virtualizer = useVirtualizer({
    count: logs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: 10,
    // The head stays at the top and covers the rows that are scrolled beneath it.
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
  });
  useScrolledToTop(scroller, props.listId, props.isQuiet === true);
  useKeptPlace(virtualizer, logs, props.keepsPlace === true, rowHeight);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows were measured with the other density or wrapped
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, density, wrap]);
  useRevealed(virtualizer, logs, openId);
  const rows = virtualizer.getVirtualItems();
  const [slots] = useState(() => new RowSlots());
  const isReusing = virtualizer.isScrolling && !wrap && isNothingSelected();
  const slotOf = slots.assign(
    rows.map(({ key }) => String(key)),
    isReusing,
  );
  const slotted = rows.map((row) => ({ ...row, slot: slotOf.get(String(row.key)) ?? 0 }));
  // Rows that are filled anew stay where they are among the elements until scrolling ends.
  const drawn = isReusing ? slotted.sort((a, b) => a.slot - b.slot) : slotted;
  const isNarrow = width > 0 && width <= NARROW;
  const ownWidth = columns.find(({ field }) => field === MESSAGE)?.width ?? null;
  const lineLength = lineLengthOf(ownWidth ?? width - BEFORE_MESSAGE[isNarrow ? "narrow" : "wide"], density);

  const lastShown = rows.at(-1)?.index ?? 0;
  const isNearEnd = hasMore && !isLoadingMore && failure === null && lastShown >= logs.length - AHEAD;
  useEffect(() => {
    if (isNearEnd) onLoadMore();
  }, [isNearEnd, onLoadMore]);

  const activeId = openId ?? cursorId;
  const activeIndex = useMemo(
    () => (activeId === null ? -1 : logs.findIndex((log) => log.id === activeId)),
    [logs, activeId],
  );
  const select = (row: number) => {
    const index = Math.min(Math.max(row, 0), logs.length - 1);
    const next = logs[index];
    if (next === undefined) return null;
    setCursorId(next.id);
    virtualizer.scrollToIndex(index);
    return next.id;
  };
  useListKeys({
    move: (by) => {
      const next = select(activeIndex + by);
      if (next !== null && openId !== null) onOpen(next, "replace");
    },
    openNext: (by) => {
      const next = select(activeIndex < 0 && by < 0 ? logs.length - 1 : activeIndex + by);
      if (next !== null) onOpen(next, openId === null ? "push" : "replace");
    },
    open: () => {
      const active = logs[activeIndex];
      if (active !== undefined) onOpen(active.id, "push");
    },
  });

  const openRow = useLatest((id: string) => {
    setCursorId(id);
    onOpen(id, openId === null ? "push" : "replace");
  });

  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label="Logs"
      aria-rowcount={hasMore || isLoadingMore || failure !== null ? -1 : logs.length + 1}
      aria-busy={props.isStale}
      aria-activedescendant={activeIndex >= 0 && activeId !== null ? rowId(activeId) : undefined}
      className={styles.list}
      style={trackStyle(withDragged(tracks, columns, dragged), columns)}
      data-density={density}
      data-narrow={isNarrow}
      data-stale={props.isStale}
      data-testid={testIds.results}
    >
      <ListHead columns={columns} order={props.order} onDrag={setDragged} onChange={changeColumns} />
      <div role="rowgroup" className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
        {drawn.map(({ index, start, slot }) => {
          const log = logs[index];
          return log === undefined ? null : (
            <ResultRow
              key={slot}
              log={log}
              columns={columns}
              index={index}
              top={start - HEAD_HEIGHT}
              lineLength={lineLength}
              matcher={matcher}
              zone={zone}
              isWrapped={wrap}
              isNarrow={isNarrow}
              isActive={log.id === activeId}
              isOpen={log.id === openId}
              measure={virtualizer.measureElement}
              onOpen={openRow}
            />
          );
        })}
      </div>
      <div role="row" className={styles.end}>
        <span role="gridcell">
          {failure === null ? (
            endText(props)
          ) : (
            <Failure problem={failure} onRetry={() => void onLoadMore()} />
          )}
        </span>
      </div>
    </div>
  );
}

function endText({
  hasMore,
  isLoadingMore,
  endNote = "No more logs in this range",
}: ResultListProps): string {
  if (isLoadingMore) return "Loading more…";
  return hasMore ? "" : endNote;
}
