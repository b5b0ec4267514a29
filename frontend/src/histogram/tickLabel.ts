import type { TimeZoneChoice } from "../time/format";
import { rowTimeParts } from "../time/format";
import { fromMilliseconds } from "../time/nanoseconds";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Returns the text of a tick's time, as exact as the distance to the next tick requires. Midnight becomes its date. */
export function tickLabel(ms: number, stepMs: number, zone: TimeZoneChoice): string {
  const { date, clock, milliseconds } = rowTimeParts(fromMilliseconds(ms), zone);
  const [hours, minutes, seconds] = clock.split(":");
  if (stepMs < SECOND_MS) return `${minutes}:${seconds}.${milliseconds}`;
  if (stepMs < MINUTE_MS) return clock;
  if (stepMs >= DAY_MS || (hours === "00" && minutes === "00")) return date;
  return `${hours}:${minutes}`;
}
