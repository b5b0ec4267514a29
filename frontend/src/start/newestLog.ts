import type { QueryClient } from "@tanstack/react-query";
import type { LogsApi } from "../api/logsApi";
import type { Log } from "../api/types";
import { fromMilliseconds, NS_PER_SECOND } from "../time/nanoseconds";

const HOUR = 3600n * NS_PER_SECOND;
const DAY = 24n * HOUR;

/**
 * Reads the tenant's newest log within its retention, or null if there is none. Reads up to an hour ahead, because
 * clocks of senders may be ahead.
 */
export async function readNewest(
  cache: QueryClient,
  api: LogsApi,
  tenant: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<Log | null> {
  const { retention_days: days } = await cache.fetchQuery({
    queryKey: ["tenant", tenant],
    queryFn: api.tenant,
  });
  const now = fromMilliseconds(nowMs);
  const window = { start: now - BigInt(days) * DAY, end: now + HOUR };
  const [newest] = await api.newest({ query: "", ...window }, 1, signal);
  return newest ?? null;
}
