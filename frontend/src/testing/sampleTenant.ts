import type { AdminTenant } from "../api/types";

/** Returns a tenant as admin keys see it, with the members that a test sets. */
export function sampleTenant(changes: Partial<AdminTenant> = {}): AdminTenant {
  return {
    name: "demo",
    lane: 0,
    cohort: "r30",
    cohort_in_force: "r30",
    retention_days: 30,
    body_max_bytes: 4096,
    created_at: "2026-11-01T00:00:00Z",
    limits: {
      bytes_per_second: 1000,
      records_per_second: null,
      bytes_per_day: null,
      concurrent_searches: null,
      partitions: null,
    },
    ...changes,
  };
}
