import { type ApiProblem, problemFrom } from "../api/problem";

/**
 * Returns the problem in the last line of an NDJSON file; null if the file is complete. Records have no field "error",
 * so a line with that field is not a record.
 */
export function problemAtEnd(tail: string): ApiProblem | null {
  const line = tail.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith('{"error":')) return null;
  try {
    const { error } = JSON.parse(line) as { error: { status?: unknown } };
    return problemFrom(typeof error.status === "number" ? error.status : 500, error);
  } catch {
    return null;
  }
}
