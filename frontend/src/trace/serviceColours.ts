/** Number of colours that TracePage.module.css has. */
const COLOURS = 8;

/** Returns the number of each service's colour, in the order in which the services first log. After eight, colours repeat. */
export function serviceColours(services: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(services)].map((service, index) => [service, index % COLOURS]));
}
