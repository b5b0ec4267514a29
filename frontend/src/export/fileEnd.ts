import { type ApiProblem, problemFrom } from "../api/problem";

/**
 * Returns the problem that the last line of an NDJSON file names; null where the file is whole. Records have no field
 * "error", so such a line is not a record.
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
