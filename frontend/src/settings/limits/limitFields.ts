import type { TenantChanges } from "../../api/adminClient";
import type { AdminTenant, Limits } from "../../api/types";
import { formatBytes, formatCount } from "../../format/quantity";

export type FieldName = "retention_days" | "body_max_bytes" | keyof Limits;

interface LimitField {
  readonly name: FieldName;
  readonly label: string;
  readonly hint: string;
  readonly unit: "bytes" | "count";
  /** True for a value that may be left empty, which removes the limit. */
  readonly isOptional: boolean;
}

/** Values of a tenant that an operator may change, in the order in which the page shows them. */
export const LIMIT_FIELDS: readonly LimitField[] = [
  {
    name: "retention_days",
    label: "Retention in days",
    hint: "Records that arrive at least 15 s after the change are kept for this long. Stored records keep theirs. In a cohort of its own, a tenant keeps all records for the longest retention that it ever had.",
    unit: "count",
    isOptional: false,
  },
  {
    name: "body_max_bytes",
    label: "Largest stored body, in bytes",
    hint: "Longer bodies are cut. The record shows how many bytes were cut.",
    unit: "bytes",
    isOptional: false,
  },
  {
    name: "bytes_per_second",
    label: "Bytes per second",
    hint: "Requests over the limit are refused with 429. The answer says when to retry.",
    unit: "bytes",
    isOptional: true,
  },
  {
    name: "records_per_second",
    label: "Records per second",
    hint: "Requests over the limit are refused with 429. The answer says when to retry.",
    unit: "count",
    isOptional: true,
  },
  {
    name: "bytes_per_day",
    label: "Bytes per day",
    hint: "When the limit is reached, requests are refused until midnight UTC.",
    unit: "bytes",
    isOptional: true,
  },
  {
    name: "concurrent_searches",
    label: "Concurrent searches",
    hint: "Further searches wait.",
    unit: "count",
    isOptional: true,
  },
  {
    name: "partitions",
    label: "Partitions",
    hint: "Topic partitions that the tenant's logs may use, 1 to 16. After an increase, the added partitions are used one minute later. Each live tail of the tenant reads all of them.",
    unit: "count",
    isOptional: true,
  },
];

export function limitOf(tenant: AdminTenant, name: FieldName): number | null {
  if (name === "retention_days" || name === "body_max_bytes") return tenant[name];
  return tenant.limits[name] ?? null;
}

/** Texts of values that are not set, where that does not mean "no limit". */
const DEFAULTS: Partial<Record<FieldName, string>> = {
  concurrent_searches: "the installation's setting",
  partitions: "the default, 4",
};

/** Returns a limit as text: "1.0 MB (1,000,000)", or what applies if it is not set, such as "no limit". */
export function shownLimit(value: number | null, { name, unit }: Pick<LimitField, "name" | "unit">): string {
  if (value === null) return DEFAULTS[name] ?? "no limit";
  const count = formatCount(value);
  return unit === "bytes" && value >= 1000 ? `${formatBytes(value)} (${count})` : count;
}

/** Returns what is wrong with a typed value, null for a whole number or a value that may be left empty. */
export function limitMistake(typed: string, isOptional: boolean): string | null {
  const text = typed.trim();
  if (text === "") return isOptional ? null : "A whole number is needed.";
  if (!/^\d{1,15}$/.test(text)) return "Type a whole number without separators, like 1000000.";
  return null;
}

/** Returns the changes that the typed values make to a tenant, null where they change nothing. */
export function changesOf(
  tenant: AdminTenant,
  typed: Readonly<Record<FieldName, string>>,
): TenantChanges | null {
  const limits: Partial<Record<keyof Limits, number | null>> = {};
  const own: { retention_days?: number; body_max_bytes?: number } = {};
  for (const { name } of LIMIT_FIELDS) {
    const text = typed[name].trim();
    const value = text === "" ? null : Number(text);
    if (value === limitOf(tenant, name)) continue;
    if (name !== "retention_days" && name !== "body_max_bytes") limits[name] = value;
    else if (value !== null) own[name] = value;
  }
  const hasLimits = Object.keys(limits).length > 0;
  if (!hasLimits && Object.keys(own).length === 0) return null;
  return { ...own, ...(hasLimits ? { limits } : {}) };
}
