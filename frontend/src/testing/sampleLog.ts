import type { Log } from "../api/types";

/** Returns a complete record with the fields that a test sets. */
export function sampleLog(changes: Partial<Log> = {}): Log {
  return {
    id: "01",
    timestamp: "2026-11-21T01:02:03.123456789Z",
    observed_timestamp: "2026-11-21T01:02:03.200000000Z",
    severity_number: 9,
    severity_text: "INFO",
    service: "checkout",
    body: "order placed",
    body_truncated_bytes: 0,
    attributes: {},
    resource: {},
    scope: { name: "", version: "" },
    trace_id: "",
    span_id: "",
    flags: 0,
    event_name: "",
    ...changes,
  };
}
