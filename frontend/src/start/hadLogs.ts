const KEY = "logsieve.has-logs";

/** Returns true where this browser has seen a log of the tenant, so that the page need not ask whether there are any. */
export function hadLogs(tenant: string): boolean {
  return localStorage.getItem(KEY) === tenant;
}

export function rememberLogs(tenant: string): void {
  localStorage.setItem(KEY, tenant);
}
