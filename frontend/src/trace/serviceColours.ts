/** Number of colours that TracePage.module.css has. */
const COLOURS = 8;

/**
 * Returns the number of each service's colour, in the order of the services' first logs. Colours repeat after eight.
 */
export function serviceColours(services: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(services)].map((service, index) => [service, index % COLOURS]));
}
