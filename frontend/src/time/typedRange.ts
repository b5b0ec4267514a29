import { parseDuration } from "./duration";
import { fromInputValue, type TimeZoneChoice, toInputValue } from "./format";
import type { Nanoseconds } from "./nanoseconds";
import { parseRfc3339 } from "./nanoseconds";
import { absoluteRange, relativeRange, resolveTime, type TimeRange } from "./timeExpression";

const SEPARATOR = /\s+(?:to|until|-|–|—)\s+|\s*(?:\.\.\.?|\/|→)\s*/i;
/** Two clock times with a dash and without spaces. An offset from UTC looks the same, but nobody types it without a date. */
const CLOCKS = /^(\d{1,2}:\d{2}(?::\d{2})?)[-–—](\d{1,2}:\d{2}(?::\d{2})?)$/;
/** A date and a space, then two such clock times. */
const DATED_CLOCKS = /^(\d{4}-\d{2}-\d{2})\s+(\d{1,2}:\d{2})(:\d{2})?([-–—])(\d{1,2}:\d{2})(:\d{2})?$/;
const INSTANT =
  /^(?:(\d{4}-\d{2}-\d{2})(?:[T\s]+|$))?(?:(\d{1,2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d{2}:\d{2})?$/i;

/** Units that a user may write out, by their first letters. */
const UNITS: readonly [RegExp, string][] = [
  [/^s(ec(ond)?s?)?$/, "s"],
  [/^m(in(ute)?s?)?$/, "m"],
  [/^(h(ours?)?|hrs?)$/, "h"],
  [/^d(ays?)?$/, "d"],
  [/^w(eeks?)?$/, "w"],
];

/**
 * Reads a range as a person types it: "90m", "last 2 hours", "today", "10:00 to 11:00", "10:00-11:00",
 * "2026-11-22 10:00 to 11:00", "2026-11-22 10:00-11:00", "2026-11-22", ISO 8601 with or without an offset, or Unix times
 * in seconds, milliseconds or nanoseconds. Times without an offset are in `zone`; a clock time without a date is
 * today's, or the day of the range's start. One time alone begins a range that ends now. Null for text that is not a
 * range.
 */
export function parseTypedRange(text: string, zone: TimeZoneChoice, now: Nanoseconds): TimeRange | null {
  const typed = text.trim();
  const duration = readDuration(typed);
  if (duration !== null) return relativeRange(duration);
  const today = dayOf(now, zone);
  if (/^today$/i.test(typed)) return wholeDay(today, zone);
  if (/^yesterday$/i.test(typed)) return wholeDay(addDays(today, -1), zone);
  if (/^\d{4}-\d{2}-\d{2}$/.test(typed)) return wholeDay(typed, zone);
  const [first = "", last, ...rest] = separated(typed).split(SEPARATOR);
  const start = readInstant(first, today, zone, now);
  if (start === null || rest.length > 0) return null;
  if (last === undefined) return start < now ? absoluteRange({ start, end: now }) : null;
  const end = readEnd(last, start, zone, now);
  return end === null || end <= start ? null : absoluteRange({ start, end });
}

/**
 * Returns the text with " to " for the dash between two clock times. After a date and a clock time without seconds,
 * "-08:00" is the end of a range if it is later than the clock time, and otherwise an offset from UTC. After seconds it
 * is an offset, because programs write times so.
 */
function separated(typed: string): string {
  const dated = DATED_CLOCKS.exec(typed);
  if (dated === null) return typed.replace(CLOCKS, "$1 to $2");
  const [, date, start = "", seconds = "", dash, end = "", endSeconds = ""] = dated;
  const isLater = seconds === "" && end.padStart(5, "0") > start.padStart(5, "0");
  const isRange = dash !== "-" || endSeconds !== "" || isLater;
  return isRange ? `${date} ${start}${seconds} to ${end}${endSeconds}` : typed;
}

/** Returns a duration such as "1h30m"; null for text that is not one. */
function readDuration(text: string): string | null {
  const bare = text.toLowerCase().replace(/^(the\s+)?(last|past)\s+/, "");
  if (bare === "") return null;
  const counted = /^[a-z]/.test(bare) && bare !== text.toLowerCase() ? `1 ${bare}` : bare;
  const parts = [...counted.matchAll(/(\d+)\s*([a-z]+)\s*/g)];
  if (parts.map(([part]) => part).join("") !== counted) return null;
  const units = parts.map(([, count, word = ""]) => {
    const unit = UNITS.find(([pattern]) => pattern.test(word))?.[1];
    return unit === undefined ? "?" : `${count}${unit}`;
  });
  const duration = units.join("");
  return parseDuration(duration) === null ? null : duration;
}

function wholeDay(day: string, zone: TimeZoneChoice): TimeRange | null {
  const start = fromInputValue(`${day}T00:00`, zone);
  if (start === null) return null;
  const end = fromInputValue(`${addDays(day, 1)}T00:00`, zone);
  return end === null ? null : absoluteRange({ start, end });
}

/**
 * Returns the end of a typed range. A clock time alone means the first such time after the start. With an offset, this
 * may be on another day than the start is in `zone`.
 */
function readEnd(
  text: string,
  start: Nanoseconds,
  zone: TimeZoneChoice,
  now: Nanoseconds,
): Nanoseconds | null {
  const day = dayOf(start, zone);
  const end = readInstant(text, day, zone, now);
  if (end === null || !/^\d{1,2}:/.test(text.trim())) return end;
  const ends = [-1, 0, 1].map((days) => readInstant(text, addDays(day, days), zone, now));
  return ends.find((time) => time !== null && time > start) ?? null;
}

function readInstant(text: string, day: string, zone: TimeZoneChoice, now: Nanoseconds): Nanoseconds | null {
  const typed = text.trim();
  const expression = resolveTime(typed.toLowerCase(), now);
  if (expression !== null) return expression;
  if (/^\d{10}$|^\d{13}$|^\d{16}$|^\d{19}$/.test(typed)) return BigInt(typed.padEnd(19, "0"));
  const found = INSTANT.exec(typed);
  if (found === null) return null;
  const [, date, clock, seconds = "00", fraction = "", offset] = found;
  if (date === undefined && clock === undefined) return null;
  const whole = `${date ?? day}T${(clock ?? "00:00").padStart(5, "0")}:${seconds}`;
  const time =
    offset === undefined
      ? fromInputValue(whole, zone)
      : parseRfc3339(`${whole}${/^(z|utc)$/i.test(offset) ? "Z" : offset}`);
  return time === null ? null : time + BigInt(fraction.padEnd(9, "0"));
}

function dayOf(time: Nanoseconds, zone: TimeZoneChoice): string {
  return toInputValue(time, zone).slice(0, 10);
}

/**
 * Returns the date that is this number of days after a date. Counts dates instead of hours, because a day on which clocks
 * change has 23 or 25 hours.
 */
function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
