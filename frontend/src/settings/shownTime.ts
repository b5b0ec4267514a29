import { formatFullTime, type TimeZoneChoice } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";

/** Returns a time of the API to the minute, without its zone: "2026-11-21 01:02". Returns other text unchanged. */
export function shownMinute(rfc3339: string, zone: TimeZoneChoice): string {
  const time = parseRfc3339(rfc3339);
  return time === null ? rfc3339 : formatFullTime(time, zone).slice(0, 16);
}

/** Returns a time like `shownMinute`, but to the second: "2026-11-21 01:02:03". */
export function shownSecond(rfc3339: string, zone: TimeZoneChoice): string {
  const time = parseRfc3339(rfc3339);
  return time === null ? rfc3339 : formatFullTime(time, zone).slice(0, 19);
}
