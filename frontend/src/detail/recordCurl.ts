import type { Log } from "../api/types";

/**
 * Returns a shell command that fetches the record. The key comes from the environment, because shells keep commands.
 */
export function recordCurl(record: Log, origin: string): string {
  return `curl -H "Authorization: Bearer $LOGSIEVE_QUERY_KEY" '${origin}/api/v1/logs/${encodeURIComponent(record.id)}'`;
}
