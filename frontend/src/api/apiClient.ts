import createClient from "openapi-fetch";
import { compareClocks } from "../time/serverClock";
import { isAbort, networkProblem, problemFrom } from "./problem";
import type { paths } from "./schema";

export interface FetchResult<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

export type ApiClient = ReturnType<typeof createApiClient>;

/** Returns a client of all routes that sends this key, or no key if it is null. */
export function createApiClient(key: string | null) {
  return createClient<paths>({
    baseUrl: window.location.origin,
    headers: key === null ? {} : { Authorization: `Bearer ${key}` },
    fetch: send,
  });
}

async function send(request: Request): Promise<Response> {
  const sentMs = Date.now();
  const response = await fetch(request);
  compareClocks(response.headers.get("Date"), sentMs);
  return response;
}

/** Returns the body of a request's answer. Throws an ApiProblem for an answer without one. */
export async function answer<Body>(request: Promise<FetchResult<Body>>): Promise<Body> {
  const { response, data, error } = await request.catch(notReceived);
  if (!response.ok || data === undefined) throw problemFrom(response.status, error);
  return data;
}

/** Waits for the answer to a request without returning its body. Throws an ApiProblem for an error. */
export async function done(request: Promise<FetchResult<unknown>>): Promise<void> {
  const { response, error } = await request.catch(notReceived);
  if (!response.ok) throw problemFrom(response.status, error);
}

/**
 * Returns the error with which a failed request rejects: its abort, or an ApiProblem. A 200 that is not JSON comes from
 * a proxy.
 */
export function notReceived(error: unknown): never {
  if (isAbort(error)) throw error;
  throw error instanceof SyntaxError ? problemFrom(502, null) : networkProblem();
}
