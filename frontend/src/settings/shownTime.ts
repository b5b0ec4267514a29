import { formatFullTime, type TimeZoneChoice } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";

/** "2026-11-21 01:02": a time of the API to the minute, without its zone; the text itself where it is not a time. */
export function shownMinute(rfc3339: string, zone: TimeZoneChoice): string {
  const time = parseRfc3339(rfc3339);
  return time === null ? rfc3339 : formatFullTime(time, zone).slice(0, 16);
}

/** "2026-11-21 01:02:03": like `shownMinute`, to the second. */
export function shownSecond(rfc3339: string, zone: TimeZoneChoice): string {
  const time = parseRfc3339(rfc3339);
  return time === null ? rfc3339 : formatFullTime(time, zone).slice(0, 19);
}
