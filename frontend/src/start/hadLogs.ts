const KEY = "logsieve.has-logs";

/** Returns true if this browser has seen a log of the tenant, so that the page need not query the API. */
export function hadLogs(tenant: string): boolean {
  return localStorage.getItem(KEY) === tenant;
}

export function rememberLogs(tenant: string): void {
  localStorage.setItem(KEY, tenant);
}
