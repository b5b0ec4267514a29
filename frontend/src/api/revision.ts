import { asProblem, sentence } from "./problem";

/**
 * Returns the object whose revision a save replaces. This is `edited`, the object as it was when the user began to edit
 * it, so that the API reports a change by another user meanwhile. After the API has reported one, it is `present`, so
 * that the next save replaces that change. `earlier` is the state of the previous save.
 */
export function objectToReplace<T>(
  edited: T,
  present: T,
  earlier: { readonly isError: boolean; readonly error: unknown },
): T {
  return earlier.isError && isConflict(earlier.error) ? present : edited;
}

/**
 * Returns the message about a failed save or deletion of an object, such as "view". After a conflict, the message says
 * `next`, which the user can do. The API's own text asks to read the object again, which the page has done already.
 */
export function changeProblem(error: unknown, object: string, next = REPLACE): string {
  return isConflict(error)
    ? `This ${object} was changed meanwhile, by another user or in another tab. ${next}`
    : sentence(asProblem(error).message);
}

const REPLACE = "Save again to replace that change, or cancel to keep it.";

function isConflict(error: unknown): boolean {
  return asProblem(error).code === "revision_conflict";
}
