import type { Nanoseconds } from "./nanoseconds";
import { fractionDigits, fromMilliseconds, NS_PER_SECOND, parseRfc3339, toMilliseconds } from "./nanoseconds";

/** Time zone in which the page shows times. */
export type TimeZoneChoice = "utc" | "local";

interface Parts {
  readonly date: string;
  readonly clock: string;
}

/** Parts of a time from which lists and labels are made: "Nov 21", "01:02:03" and "123". */
export interface RowTimeParts extends Parts {
  readonly milliseconds: string;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number) => value.toString().padStart(2, "0");

function partsOf(time: Nanoseconds, zone: TimeZoneChoice): Parts {
  const moment = new Date(toMilliseconds(time));
  const shifted = zone === "utc" ? moment : new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  const [date = "", clock = ""] = shifted.toISOString().slice(0, 19).split("T");
  return { date, clock };
}

export function rowTimeParts(time: Nanoseconds, zone: TimeZoneChoice): RowTimeParts {
  const { date, clock } = partsOf(time, zone);
  const [, month, day] = date.split("-");
  return {
    date: `${MONTHS[Number(month) - 1] ?? ""} ${day}`,
    clock,
    milliseconds: fractionDigits(time).slice(0, 3),
  };
}

/** Returns a time of fixed width, as rows have it: "Nov 21 01:02:03.123". */
export function formatRowTime(time: Nanoseconds, zone: TimeZoneChoice): string {
  const { date, clock, milliseconds } = rowTimeParts(time, zone);
  return `${date} ${clock}.${milliseconds}`;
}

/**
 * Returns the complete time, for the detail panel: "2026-11-21 01:02:03.123456789 +01:00", or with "UTC" where the
 * offset is zero.
 */
export function formatFullTime(time: Nanoseconds, zone: TimeZoneChoice): string {
  const { date, clock } = partsOf(time, zone);
  const offset = zone === "utc" ? "+00:00" : localOffset(time);
  return `${date} ${clock}.${fractionDigits(time)} ${offset === "+00:00" ? "UTC" : offset}`;
}

/**
 * Returns a range as text: "Nov 21 01:00 – 02:00". Seconds appear only if they are not zero, their fractions only in a
 * range of less than a second, the second date only if it differs, and years, as in "Nov 21 2025 01:00 – 02:00", only
 * if an end is not in the year of `now`.
 */
export function formatWindowEdges(
  start: Nanoseconds,
  end: Nanoseconds,
  zone: TimeZoneChoice,
  now: Nanoseconds,
): string {
  if (end - start < NS_PER_SECOND) return formatBucketEdges(start, end, zone, now);
  return formatSpan(start, end, zone, now, ({ clock }) => clock.replace(/:00$/, ""));
}

/**
 * Returns a range like `formatWindowEdges`, but always with seconds: "Nov 21 01:00:00 – 01:00:30". Milliseconds,
 * microseconds and nanoseconds appear only if they are not zero.
 */
export function formatBucketEdges(
  start: Nanoseconds,
  end: Nanoseconds,
  zone: TimeZoneChoice,
  now: Nanoseconds,
): string {
  return formatSpan(start, end, zone, now, ({ clock }, time) => {
    const digits = fractionDigits(time).replace(/(?:000)+$/, "");
    return digits === "" ? clock : `${clock}.${digits}`;
  });
}

function formatSpan(
  start: Nanoseconds,
  end: Nanoseconds,
  zone: TimeZoneChoice,
  now: Nanoseconds,
  clockOf: (parts: RowTimeParts, time: Nanoseconds) => string,
): string {
  const [first, last] = [rowTimeParts(start, zone), rowTimeParts(end, zone)];
  const [firstDay, lastDay, today] = [start, end, now].map((time) => partsOf(time, zone).date) as [
    string,
    string,
    string,
  ];
  const hasYears = [firstDay, lastDay].some((day) => yearOf(day) !== yearOf(today));
  const dateOf = (parts: RowTimeParts, day: string) =>
    hasYears ? `${parts.date} ${yearOf(day)}` : parts.date;
  const until = firstDay === lastDay ? "" : `${dateOf(last, lastDay)} `;
  return `${dateOf(first, firstDay)} ${clockOf(first, start)} – ${until}${clockOf(last, end)}`;
}

function yearOf(day: string): string {
  return day.split("-")[0] ?? "";
}

/** Returns the browser's UTC offset at that instant, such as "+01:00". */
export function localOffset(time: Nanoseconds): string {
  const minutes = -new Date(toMilliseconds(time)).getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Returns the value of a datetime-local input for this instant, to the second. */
export function toInputValue(time: Nanoseconds, zone: TimeZoneChoice): string {
  const { date, clock } = partsOf(time, zone);
  return `${date}T${clock}`;
}

/** Returns the instant for a datetime-local value in that zone; null if it is empty or not a time. */
export function fromInputValue(value: string, zone: TimeZoneChoice): Nanoseconds | null {
  const withSeconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(value) ? `${value}:00` : value;
  if (zone === "utc") return parseRfc3339(`${withSeconds}Z`);
  if (parseRfc3339(`${withSeconds}Z`) === null) return null;
  // Without an offset, Date reads the text in the browser's own zone.
  return fromMilliseconds(new Date(withSeconds).getTime());
}
