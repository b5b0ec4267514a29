import builtInRedactions from "./builtInRedactions.json";

/** Redactions that the server has built in, by their names. tests/repository compares them with the server's. */
export const BUILT_IN: readonly string[] = builtInRedactions;

/** A redaction to set. A built-in redaction has no expression. */
export interface RedactionRequest {
  readonly name: string;
  readonly expression: string | null;
}

/** Returns the redaction that a form describes: a built-in one by its name, or one with an expression. */
export function redactionRequest(chosen: string, name: string, expression: string): RedactionRequest | null {
  if (chosen !== "") return { name: chosen, expression: null };
  if (name.trim() === "" || expression === "") return null;
  return { name: name.trim(), expression };
}
