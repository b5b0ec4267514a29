import {
  fromMilliseconds,
  type Nanoseconds,
  NS_PER_MS,
  NS_PER_SECOND,
  toMilliseconds,
} from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";

/** Places of times on the time axis of a chart, in milliseconds from the axis's origin. */
export interface TimeAxis {
  /** Milliseconds from 1970 to the origin. */
  readonly originMs: number;
  readonly placeOf: (time: Nanoseconds) => number;
  readonly timeAt: (place: number) => Nanoseconds;
}

/**
 * Returns the axis for a range. The origin is 1970, or the last whole millisecond before a range of less than a second:
 * the number of milliseconds since 1970 has no room for nanoseconds.
 */
export function timeAxis({ start, end }: TimeWindow): TimeAxis {
  const originMs = end - start < NS_PER_SECOND ? toMilliseconds(start) : 0;
  const origin = fromMilliseconds(originMs);
  return {
    originMs,
    placeOf: (time) => {
      const whole = toMilliseconds(time - origin);
      return whole + Number(time - origin - BigInt(whole) * NS_PER_MS) / 1e6;
    },
    timeAt: (place) => {
      const whole = Math.floor(place);
      return origin + BigInt(whole) * NS_PER_MS + BigInt(Math.round((place - whole) * 1e6));
    },
  };
}
