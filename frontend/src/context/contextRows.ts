import type { Context, Log } from "../api/types";

/**
 * One answer of the context endpoint and its request: the record in the middle, and the number of records on each side.
 */
export interface ContextPage {
  readonly request: ContextPoint;
  readonly answer: Context;
}

export interface ContextPoint {
  readonly id: string;
  readonly before: number;
  readonly after: number;
}

const FIRST = 10;
const MORE = 25;

export const around = (id: string): ContextPoint => ({ id, before: FIRST, after: FIRST });

/** Returns all records of the pages, oldest first. The middle record occurs once. */
export function contextLogs(pages: readonly ContextPage[], id: string): Log[] {
  return pages.flatMap(({ request, answer }) => [
    ...answer.before,
    ...(request.id === id ? [answer.log] : []),
    ...answer.after,
  ]);
}

/**
 * Returns the parameters of the next earlier page; undefined if there is none, or the server stopped searching for it
 * before it found a record. A server that stopped after some records, such as 8 MiB of them, continues from the last one.
 */
export function earlier({ request, answer }: ContextPage): ContextPoint | undefined {
  const first = answer.before[0];
  if (first === undefined || (answer.complete_before && answer.before.length < request.before))
    return undefined;
  return { id: first.id, before: MORE, after: 0 };
}

/** Returns the parameters of the next later page, as `earlier` does. */
export function later({ request, answer }: ContextPage): ContextPoint | undefined {
  const last = answer.after.at(-1);
  if (last === undefined || (answer.complete_after && answer.after.length < request.after)) return undefined;
  return { id: last.id, before: 0, after: MORE };
}
