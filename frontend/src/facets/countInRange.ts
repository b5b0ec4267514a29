import type { FieldList } from "../api/types";
import { trimQuery } from "../language/tokenize";
import { wholeQuarters } from "../time/quarters";
import type { TimeWindow } from "../time/timeExpression";

type Counting = Pick<FieldList, "basis" | "complete" | "sampled">;

/**
 * A query that matches every record. The API counts its matches exactly. For the empty query, the API uses the counts
 * made at insert, whose quarters of an hour may begin before the range and end after it.
 */
export const EVERY_RECORD = "severity_number:>=0";

/**
 * Counts records of the range only, so that no count exceeds the number of matching records. Counts exactly for few
 * records, otherwise over the whole quarters of an hour in the range, otherwise among the newest records.
 */
export async function countInRange<Answer extends Counting>(
  query: string,
  window: TimeWindow,
  count: (query: string, window: TimeWindow) => Promise<Answer>,
): Promise<Answer> {
  const quarters = wholeQuarters(window);
  const isWhole = quarters?.start === window.start && quarters.end === window.end;
  if (trimQuery(query) !== "" || isWhole) return count(query, window);
  const newest = await count(EVERY_RECORD, window);
  return newest.complete || quarters === null ? newest : count("", quarters);
}
