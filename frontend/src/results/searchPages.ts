import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { PagePart } from "../api/searchStream";
import type { Log, SearchPage } from "../api/types";

/**
 * Position of a page of the list: the side of the anchor that it is on, and the cursor of the page before it in its
 * direction, null for the first page of a side. Without an anchor, all pages are behind.
 */
export interface PageParam {
  readonly side: "behind" | "before";
  readonly cursor: string | null;
}

/** A page of the list. Pages before the anchor are requested in the opposite order and reversed. */
export interface ListPage extends SearchPage {
  readonly side: PageParam["side"];
}

/** Returns the position of the page that continues this one in the page's direction; null after the last page. */
export function paramAfter({ side, next_cursor: cursor }: ListPage): PageParam | null {
  return cursor === null ? null : { side, cursor };
}

export type LoadedPages = InfiniteData<ListPage, PageParam>;

/** Records that have arrived so far of the page behind a cursor, of one list. */
export interface ArrivingPart extends PagePart {
  /** Identifies the list: a run of a search, and the anchor. */
  readonly listId: string;
  readonly cursor: string | null;
}

/**
 * Rows that the list shows. "earlier": rows of the list before this one, because no row of this one has arrived.
 * "arriving": rows of the first page, which is not complete. "loaded": complete pages, and the rows of a further page
 * that have arrived. `part` is the page that is arriving, or that failed or was cancelled after some of its rows.
 */
export interface ShownRows {
  readonly kind: "earlier" | "arriving" | "loaded";
  readonly logs: Log[];
  readonly part: ArrivingPart | null;
}

/**
 * Returns the rows that a list shows. `own` are its complete pages; undefined before the first. `earlier` are those of
 * the last list that had some. `latest` is the part that arrived last, of this list or another.
 */
export function shownRows(
  listId: string,
  own: LoadedPages | undefined,
  earlier: LoadedPages | undefined,
  latest: ArrivingPart | null,
): ShownRows {
  const isComplete = own?.pageParams.some(
    ({ side, cursor }) => side === "behind" && cursor === latest?.cursor,
  );
  const part = latest?.listId === listId && !isComplete ? latest : null;
  const arrived = part?.logs ?? [];
  if (own !== undefined) return { kind: "loaded", logs: [...rowsOf(own), ...arrived], part };
  if (arrived.length > 0) return { kind: "arriving", logs: [...arrived], part };
  return { kind: "earlier", logs: rowsOf(earlier), part };
}

function rowsOf(loaded: LoadedPages | undefined): Log[] {
  return loaded?.pages.flatMap(({ logs }) => logs) ?? [];
}

/** Pages of matching records, and what the list shows of them. */
export interface SearchPages {
  readonly pages: UseInfiniteQueryResult<LoadedPages, Error>;
  readonly logs: Log[];
  /** Identifies the list whose rows are shown. */
  readonly shownListId: string;
  /** True while the rows belong to the list before this one. */
  readonly isStale: boolean;
  /** True if the list begins at the time of a linked record. */
  readonly isAnchored: boolean;
  /** True once the first rows have arrived, or the search failed. */
  readonly hasFirstRows: boolean;
  readonly isCancelled: boolean;
  readonly cancel: () => void;
  /** Requests what was cancelled. */
  readonly resume: () => void;
  /** Progress of the page that is arriving; null before its first window, and while none is requested. */
  readonly progress: PagePart["progress"] | null;
}
