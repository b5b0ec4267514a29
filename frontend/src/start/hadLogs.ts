import { lastingStorage } from "../preferences/browserStorage";

const KEY = "logsieve.has-logs";

/** Returns true if this browser has seen a log of the tenant, so that the page need not query the API. */
export function hadLogs(tenant: string): boolean {
  return lastingStorage.get(KEY) === tenant;
}

export function rememberLogs(tenant: string): void {
  lastingStorage.set(KEY, tenant);
}
