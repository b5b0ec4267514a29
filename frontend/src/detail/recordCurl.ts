import type { Log } from "../api/types";

/** Returns a shell command that fetches the record. It takes the key from the environment, because commands are kept. */
export function recordCurl(record: Log, origin: string): string {
  return `curl -H "Authorization: Bearer $LOGSIEVE_QUERY_KEY" '${origin}/api/v1/logs/${encodeURIComponent(record.id)}'`;
}
