/** Error of a failed request: the API's problem document (RFC 9457), or status 0 when no answer arrived. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";

  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    /** Offset of the error in the query text, in characters, if the query is wrong. */
    readonly position: number | null = null,
    readonly expected: readonly string[] = [],
    /** A valid query that finds the words of the refused text next to each other. */
    readonly searchAsText: string | null = null,
  ) {
    super(detail);
  }

  get isUnauthorized(): boolean {
    return this.status === 401;
  }

  /** True if the query text is wrong. The query bar then shows the problem. */
  get isAboutQuery(): boolean {
    return this.position !== null;
  }
}

/** Converts an error answer of any form to a problem. Proxies answer with HTML, so no field is taken for granted. */
export function problemFrom(status: number, body: unknown): ApiProblem {
  const fields = isRecord(body) ? body : {};
  const detail = textOr(fields.detail, textOr(fields.title, `the server answered with status ${status}`));
  const position = typeof fields.position === "number" && fields.position >= 0 ? fields.position : null;
  const expected = Array.isArray(fields.expected)
    ? fields.expected.filter((item) => typeof item === "string")
    : [];
  const searchAsText = typeof fields.search_as_text === "string" ? fields.search_as_text : null;
  return new ApiProblem(status, textOr(fields.code, "unknown"), detail, position, expected, searchAsText);
}

export function networkProblem(): ApiProblem {
  return new ApiProblem(0, "unreachable", "the Logsieve API cannot be reached; check your network");
}

/** Returns true for a request that the page or the user cancelled. Callers show no problem for it. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Returns the problem to show for a thrown value of any type. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  return new ApiProblem(0, "unexpected", error instanceof Error ? error.message : String(error));
}

/** Returns the text with a capital first letter and a full stop, because the API's details are lowercase fragments. */
export function sentence(detail: string): string {
  const text = detail.trim();
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}
