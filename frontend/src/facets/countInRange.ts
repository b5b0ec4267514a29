import type { FieldList } from "../api/types";
import { wholeQuarters } from "../time/quarters";
import type { TimeWindow } from "../time/timeExpression";

type Counting = Pick<FieldList, "basis" | "complete" | "sampled">;

/**
 * A query that every record matches. The API counts matching records for it; for the empty query it takes the counts
 * that were made at insert, of quarters of an hour that begin before the range and end after it.
 */
export const EVERY_RECORD = "severity_number:>=0";

/**
 * Counts records of the range only, so that no count is above the number of matching records: exactly where they are few
 * enough, else over the whole quarters of an hour in the range, else among the newest records.
 */
export async function countInRange<Answer extends Counting>(
  query: string,
  window: TimeWindow,
  count: (query: string, window: TimeWindow) => Promise<Answer>,
): Promise<Answer> {
  const quarters = wholeQuarters(window);
  const isWhole = quarters?.start === window.start && quarters.end === window.end;
  if (query.trim() !== "" || isWhole) return count(query, window);
  const newest = await count(EVERY_RECORD, window);
  return newest.complete || quarters === null ? newest : count("", quarters);
}
