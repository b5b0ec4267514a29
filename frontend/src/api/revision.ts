import { asProblem } from "./problem";

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
  const isReported = earlier.isError && asProblem(earlier.error).code === "revision_conflict";
  return isReported ? present : edited;
}
