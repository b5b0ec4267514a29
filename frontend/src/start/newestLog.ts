import type { QueryClient } from "@tanstack/react-query";
import type { LogsApi } from "../api/logsApi";
import type { Log } from "../api/types";
import { fromMilliseconds, NS_PER_SECOND } from "../time/nanoseconds";
import type { TimeWindow } from "../time/timeExpression";

const HOUR = 3600n * NS_PER_SECOND;
const DAY = 24n * HOUR;

/** Returns the days of a tenant's retention, which are read once. */
export async function retentionDays(cache: QueryClient, api: LogsApi, tenant: string): Promise<number> {
  const read = await cache.fetchQuery({ queryKey: ["tenant", tenant], queryFn: api.tenant });
  return read.retention_days;
}

/** Returns the retention at a time. It ends an hour ahead, because clocks of senders may be ahead. */
export function retentionWindow(days: number, nowMs: number): TimeWindow {
  const now = fromMilliseconds(nowMs);
  return { start: now - BigInt(days) * DAY, end: now + HOUR };
}

/** Reads the tenant's newest log within its retention, or null if there is none. */
export async function readNewest(
  cache: QueryClient,
  api: LogsApi,
  tenant: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<Log | null> {
  const window = retentionWindow(await retentionDays(cache, api, tenant), nowMs);
  const [newest] = await api.newest({ query: "", ...window }, 1, signal);
  return newest ?? null;
}
