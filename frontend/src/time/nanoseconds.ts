/** Nanoseconds since 1970 UTC. A bigint, because a JavaScript number cannot hold one exactly. */
export type Nanoseconds = bigint;

export const NS_PER_MS = 1_000_000n;
export const NS_PER_SECOND = 1_000_000_000n;

const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;

/** Reads RFC 3339 with up to nine digits of fraction; null for text that is not an existing time. */
export function parseRfc3339(text: string): Nanoseconds | null {
  const match = RFC3339.exec(text);
  if (match === null) return null;
  const [, date = "", clock = "", fraction = "", zone = "Z"] = match;
  const milliseconds = Date.parse(`${date}T${clock}${zone.toUpperCase()}`);
  if (Number.isNaN(milliseconds)) return null;
  // Date.parse rolls 31 February over into March; such a date is refused instead.
  if (new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date) return null;
  return BigInt(milliseconds) * NS_PER_MS + BigInt(fraction.padEnd(9, "0"));
}

/** Writes RFC 3339 in UTC with nine digits of fraction, as the API does. */
export function toRfc3339(time: Nanoseconds): string {
  const whole = new Date(toMilliseconds(time)).toISOString().slice(0, 19);
  return `${whole}.${fractionDigits(time)}Z`;
}

/** Returns the nine digits of the fraction of a second, also for times before 1970. */
export function fractionDigits(time: Nanoseconds): string {
  return (((time % NS_PER_SECOND) + NS_PER_SECOND) % NS_PER_SECOND).toString().padStart(9, "0");
}

/** Writes RFC 3339 in UTC without trailing zeros of the fraction, for URLs that people read. */
export function toShortRfc3339(time: Nanoseconds): string {
  return toRfc3339(time).replace(/\.?0+Z$/, "Z");
}

export function fromMilliseconds(milliseconds: number): Nanoseconds {
  return BigInt(Math.round(milliseconds)) * NS_PER_MS;
}

/** Returns whole milliseconds, rounded down; for charts and Date, never for the API. */
export function toMilliseconds(time: Nanoseconds): number {
  const remainder = ((time % NS_PER_MS) + NS_PER_MS) % NS_PER_MS;
  return Number((time - remainder) / NS_PER_MS);
}
