import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { Log } from "../api/types";

type List = Virtualizer<HTMLDivElement, Element>;

/** Height of the list's head including its border, in CSS pixels. */
export const HEAD_HEIGHT = 27;

/** Heights of a row of one line, in CSS pixels. ResultList.module.css repeats them. */
export const ROW_HEIGHTS = { comfortable: 26, compact: 20 } as const;

/**
 * Scrolls to the top when rows of another list replace the rows on screen. Leaves the list where
 * it is after an automatic refresh, because the user may have scrolled down before the rows arrived.
 */
export function useScrolledToTop(
  scroller: RefObject<HTMLElement | null>,
  listId: string | undefined,
  isQuiet: boolean,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another list moves the list
  useLayoutEffect(() => {
    if (scroller.current !== null && !isQuiet) scroller.current.scrollTop = 0;
  }, [listId]);
}

/** Scrolls to the open record once, as soon as the list contains it: after a link or a neighbour was opened. */
export function useRevealed(list: List, logs: readonly Log[], openId: string | null): void {
  const revealed = useRef<string | null>(null);
  useEffect(() => {
    if (openId === revealed.current) return;
    const index = openId === null ? -1 : logs.findIndex(({ id }) => id === openId);
    if (openId !== null && index < 0) return;
    revealed.current = openId;
    if (index >= 0) list.scrollToIndex(index);
  }, [list, logs, openId]);
}

/** Scrolls by the height of rows that were added above, so that the rows on screen stay in place. */
export function useKeptPlace(list: List, logs: readonly Log[], isKept: boolean, rowHeight: number): void {
  const first = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const before = first.current;
    first.current = logs[0]?.id;
    if (!isKept || before === undefined || before === first.current) return;
    const added = logs.findIndex(({ id }) => id === before);
    if (added > 0) list.scrollToOffset((list.scrollOffset ?? 0) + added * rowHeight);
  }, [list, logs, isKept, rowHeight]);
}
