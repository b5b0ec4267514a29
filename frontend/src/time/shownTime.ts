import { formatFullTime, formatRowTime, type TimeZoneChoice } from "./format";
import { parseRfc3339 } from "./nanoseconds";

/** Returns a time of the API to the minute: "2026-11-21 01:02 UTC". Returns other text unchanged. */
export function shownMinute(rfc3339: string, zone: TimeZoneChoice): string {
  return shownTo(16, rfc3339, zone);
}

/** Returns a time like `shownMinute`, but to the second: "2026-11-21 01:02:03 +01:00". */
export function shownSecond(rfc3339: string, zone: TimeZoneChoice): string {
  return shownTo(19, rfc3339, zone);
}

/** Returns a time of the API as `formatRowTime` does. Returns other text unchanged. */
export function shownRowTime(rfc3339: string, zone: TimeZoneChoice): string {
  const time = parseRfc3339(rfc3339);
  return time === null ? rfc3339 : formatRowTime(time, zone);
}

/** Returns the first characters of a time with the zone, which says how to compare it with times of other pages. */
function shownTo(characters: number, rfc3339: string, zone: TimeZoneChoice): string {
  const time = parseRfc3339(rfc3339);
  if (time === null) return rfc3339;
  const full = formatFullTime(time, zone);
  return `${full.slice(0, characters)} ${full.slice(full.lastIndexOf(" ") + 1)}`;
}
