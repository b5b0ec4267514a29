import type { Nanoseconds } from "./nanoseconds";
import { fromMilliseconds, NS_PER_SECOND, parseRfc3339, toMilliseconds } from "./nanoseconds";

/** Which clock times are shown in. */
export type TimeZoneChoice = "utc" | "local";

interface Parts {
  readonly date: string;
  readonly clock: string;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number) => value.toString().padStart(2, "0");

function partsOf(time: Nanoseconds, zone: TimeZoneChoice): Parts {
  const moment = new Date(toMilliseconds(time));
  const shifted = zone === "utc" ? moment : new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  const [date = "", clock = ""] = shifted.toISOString().slice(0, 19).split("T");
  return { date, clock };
}

function fractionOf(time: Nanoseconds): string {
  return (((time % NS_PER_SECOND) + NS_PER_SECOND) % NS_PER_SECOND).toString().padStart(9, "0");
}

/** "Nov 21 01:02:03.123": fixed width, for the result list. */
export function formatRowTime(time: Nanoseconds, zone: TimeZoneChoice): string {
  const { date, clock } = partsOf(time, zone);
  const month = MONTHS[Number(date.slice(5, 7)) - 1] ?? "";
  return `${month} ${date.slice(8)} ${clock}.${fractionOf(time).slice(0, 3)}`;
}

/** "2026-11-21 01:02:03.123456789 +01:00": everything, for the detail panel. */
export function formatFullTime(time: Nanoseconds, zone: TimeZoneChoice): string {
  const { date, clock } = partsOf(time, zone);
  return `${date} ${clock}.${fractionOf(time)} ${zone === "utc" ? "UTC" : localOffset(time)}`;
}

/** "Nov 21 01:02:03" and, where two are shown together, without the date when both fall on one day. */
export function formatWindowEdges(start: Nanoseconds, end: Nanoseconds, zone: TimeZoneChoice): string {
  const edge = (time: Nanoseconds) => formatRowTime(time, zone).slice(0, 15).replace(/:00$/, "");
  const sameDay = partsOf(start, zone).date === partsOf(end, zone).date;
  return `${edge(start)} – ${sameDay ? edge(end).slice(7) : edge(end)}`;
}

/** The browser's offset at that instant as "+01:00". */
export function localOffset(time: Nanoseconds): string {
  const minutes = -new Date(toMilliseconds(time)).getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The value of a datetime-local input showing this instant, to the second. */
export function toInputValue(time: Nanoseconds, zone: TimeZoneChoice): string {
  const { date, clock } = partsOf(time, zone);
  return `${date}T${clock}`;
}

/** What a datetime-local input means in that zone; null when it is empty or not a time. */
export function fromInputValue(value: string, zone: TimeZoneChoice): Nanoseconds | null {
  const withSeconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(value) ? `${value}:00` : value;
  if (zone === "utc") return parseRfc3339(`${withSeconds}Z`);
  if (parseRfc3339(`${withSeconds}Z`) === null) return null;
  // Without an offset, Date reads the text in the browser's own zone.
  return fromMilliseconds(new Date(withSeconds).getTime());
}
