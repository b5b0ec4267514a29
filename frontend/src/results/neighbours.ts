import type { Log } from "../api/types";

/** Ids of the records above and below the open record in its list; null at the ends and outside the list. */
export interface Neighbours {
  readonly previous: string | null;
  readonly next: string | null;
}

export const NO_NEIGHBOURS: Neighbours = { previous: null, next: null };

export function neighboursOf(logs: readonly Log[], openId: string | null): Neighbours {
  const position = openId === null ? -1 : logs.findIndex(({ id }) => id === openId);
  if (position < 0) return NO_NEIGHBOURS;
  return { previous: logs[position - 1]?.id ?? null, next: logs[position + 1]?.id ?? null };
}
