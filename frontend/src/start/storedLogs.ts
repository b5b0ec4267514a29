import type { QueryClient } from "@tanstack/react-query";
import type { LogsApi } from "../api/logsApi";
import type { Log } from "../api/types";
import { readNewest, retentionDays, retentionWindow } from "./newestLog";

/** The logs that a tenant has within its retention. */
export interface StoredLogs {
  readonly newest: Log | null;
  /** Number of logs; null if the API cannot count them. */
  readonly count: number | null;
  /** Days of the tenant's retention. */
  readonly days: number;
}

/**
 * Reads the newest log and counts all logs, because a log that arrives may have an earlier time than the newest one. The
 * counted range begins at the same time in each call of a wait, so that no log leaves it.
 */
export async function readStoredLogs(
  cache: QueryClient,
  api: LogsApi,
  tenant: string,
  startedAtMs: number,
  signal: AbortSignal,
): Promise<StoredLogs> {
  const days = await retentionDays(cache, api, tenant);
  const { start } = retentionWindow(days, startedAtMs);
  const { end } = retentionWindow(days, Date.now());
  const counted = api.histogram({ query: "", start, end }, 1, null, signal).then(
    ({ buckets }) => buckets.reduce((sum, { total }) => sum + total, 0),
    () => null,
  );
  const [newest, count] = await Promise.all([readNewest(cache, api, tenant, Date.now(), signal), counted]);
  return { newest, count, days };
}
