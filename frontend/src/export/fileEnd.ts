import { type ApiProblem, problemFrom } from "../api/problem";

/**
 * What an NDJSON file's last line says went wrong on the way; null where the file is whole. Records have no field
 * "error", so the line cannot be one of them.
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
