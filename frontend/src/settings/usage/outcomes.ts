import outcomes from "./outcomes.json";

/**
 * Why records or requests were refused, and what to do about it, by the outcome that the API counts. tests/repository
 * compares the outcomes with the server's.
 */
const OUTCOMES: Readonly<Record<string, { readonly title: string; readonly advice: string }>> = outcomes;

/** Returns a few words for an outcome; the outcome itself where it is not known. */
export function outcomeTitle(outcome: string): string {
  return OUTCOMES[outcome]?.title ?? outcome;
}

/** Returns what an outcome means and what to do about it; "" where it is not known. */
export function outcomeAdvice(outcome: string): string {
  return OUTCOMES[outcome]?.advice ?? "";
}
