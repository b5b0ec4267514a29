import type { Alert } from "../api/types";

/** Returns a complete alert rule with the fields that a test sets. */
export function sampleAlert(changes: Partial<Alert> = {}): Alert {
  return {
    id: "0123456789ab",
    name: "Errors",
    query: "error | stats count()",
    range_seconds: 300,
    interval_seconds: 60,
    condition: { column: "count()", comparison: ">", threshold: 5 },
    for_seconds: 0,
    severity: "warning",
    labels: {},
    channels: [],
    state: "ok",
    detail: "",
    evaluated_at: null,
    muted_until: null,
    revision: 1,
    created_at: "2026-11-21T00:00:00.000000000Z",
    created_by: "key a",
    changed_at: "2026-11-21T00:00:00.000000000Z",
    changed_by: "key a",
    ...changes,
  };
}
