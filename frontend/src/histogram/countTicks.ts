const STEPS = [1, 2, 5];

/** Round counts, in rising order: 1, 2, 5, 10, 20, 50 and so on. */
const COUNTS = Array.from({ length: 15 }, (_, power) => STEPS.map((step) => step * 10 ** power)).flat();

/** Scale of the axis of counts: even steps, or factors of ten. */
export type CountScale = "linear" | "log";

/** Lower end of a logarithmic axis of counts. It is below 1, so that a bar of one log has a height. */
export const LOG_START = 0.5;

/**
 * Returns the counts to label on an axis from zero to `high`: zero and at most `maxTicks` multiples of a step. The step is
 * 1, 2 or 5 times a power of ten, and as small as possible.
 */
export function linearTicks(high: number, maxTicks: number): number[] {
  const step = COUNTS.find((each) => high / each < maxTicks + 1) ?? high;
  return Array.from({ length: Math.floor(high / step) + 1 }, (_, index) => index * step);
}

/**
 * Returns the counts to label on a logarithmic axis up to `high`: powers of ten and, if fewer than three of these fit,
 * also two and five times these. At most `maxTicks` are returned.
 */
export function logTicks(high: number, maxTicks: number): number[] {
  const all = COUNTS.filter((each) => each <= high);
  const powers = all.filter((_, index) => index % STEPS.length === 0);
  const ticks = powers.length < 3 ? all : powers;
  const every = Math.ceil(ticks.length / maxTicks);
  return ticks.filter((_, index) => index % every === 0);
}
