/** Severity names of the API, from least to most severe. */
export const SEVERITIES = ["unspecified", "trace", "debug", "info", "warn", "error", "fatal"] as const;

export type Severity = (typeof SEVERITIES)[number];

/**
 * Returns the name of an OpenTelemetry severity number. Each name has four numbers; 0 and unknown ones are unspecified.
 */
export function severityOf(severityNumber: number): Severity {
  if (!Number.isInteger(severityNumber) || severityNumber < 1 || severityNumber > 24) return "unspecified";
  return SEVERITIES[Math.floor((severityNumber - 1) / 4) + 1] ?? "unspecified";
}

/** Returns the text of a severity in a row: its name, or a dash if the sender gave none. */
export function severityLabel(severity: Severity): string {
  return severity === "unspecified" ? "–" : severity.toUpperCase();
}
