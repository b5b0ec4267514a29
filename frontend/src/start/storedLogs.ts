import type { QueryClient } from "@tanstack/react-query";
import type { LogsApi } from "../api/logsApi";
import type { Log } from "../api/types";
import { nowMs } from "../time/serverClock";
import type { Watch } from "./arrival";
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
 * Reads the newest log, and counts all logs unless there is another newest log than at the start of the wait: a log that
 * arrives may have an earlier time. The counted range begins at the same time in each call of a wait, so that no log
 * leaves it.
 */
export async function readStoredLogs(
  cache: QueryClient,
  api: LogsApi,
  tenant: string,
  { startedAtMs, baseline }: Watch,
  signal: AbortSignal,
): Promise<StoredLogs> {
  const days = await retentionDays(cache, api, tenant);
  const read = () => readNewest(cache, api, tenant, nowMs(), signal);
  const newest = await read();
  if (baseline !== undefined && newest?.id !== baseline.newest?.id) return { newest, count: null, days };
  const { start } = retentionWindow(days, startedAtMs);
  const { end } = retentionWindow(days, nowMs());
  const count = await api.histogram({ query: "", start, end }, 1, null, signal).then(
    ({ buckets }) => buckets.reduce((sum, { total }) => sum + total, 0),
    () => null,
  );
  const isMore = baseline !== undefined && (count ?? 0) > (baseline.count ?? Number.POSITIVE_INFINITY);
  // A counted log may have arrived after the newest log was read, and be the newest one itself.
  return { newest: isMore ? await read() : newest, count, days };
}
