import outcomes from "./outcomes.json";

/**
 * Reasons for refusing records or requests, and advice, by the outcome that the API counts. tests/repository
 * compares the outcomes with the server's.
 */
const OUTCOMES: Readonly<Record<string, { readonly title: string; readonly advice: string }>> = outcomes;

/** Returns a short name for an outcome, or the outcome itself if it is unknown. */
export function outcomeTitle(outcome: string): string {
  return OUTCOMES[outcome]?.title ?? outcome;
}

/** Returns the meaning of an outcome with advice; "" if it is unknown. */
export function outcomeAdvice(outcome: string): string {
  return OUTCOMES[outcome]?.advice ?? "";
}
