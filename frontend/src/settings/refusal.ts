import { type ApiProblem, sentence } from "../api/problem";

/**
 * Returns the reason why an admin key was refused, with advice. Other errors than a wrong key give the API's own
 * message.
 */
export function refusal(problem: ApiProblem): string {
  if (problem.isUnauthorized)
    return "This key is unknown. Check that you copied all of it, and that it has not expired or been revoked.";
  if (problem.status === 403) return "This is not an admin key. Settings need a key of purpose admin.";
  return sentence(problem.message);
}

/** Reason why the page asks for another admin key after it had one. */
export const REFUSED =
  "The API refused the admin key. It may have expired or been revoked. Enter another one.";

/** Returns the text for an admin key that belongs to another tenant than the signed-in one. */
export function elsewhere(belongsTo: string, tenant: string): string {
  return `This admin key belongs to tenant ${belongsTo}, but the page is signed in to ${tenant}. Enter an admin key of ${tenant} or of an operator.`;
}
