/** The API's severity names from least to most severe, which is the order in which charts stack them. */
export const SEVERITIES = ["unspecified", "trace", "debug", "info", "warn", "error", "fatal"] as const;

export type Severity = (typeof SEVERITIES)[number];

/** The name of an OpenTelemetry severity number: four numbers a name, 0 and unknown ones unspecified. */
export function severityOf(severityNumber: number): Severity {
  if (!Number.isInteger(severityNumber) || severityNumber < 1 || severityNumber > 24) return "unspecified";
  return SEVERITIES[Math.floor((severityNumber - 1) / 4) + 1] ?? "unspecified";
}

/** Returns the text of a row: the severity's name, or a dash where the sender gave none. */
export function severityLabel(severity: Severity): string {
  return severity === "unspecified" ? "–" : severity.toUpperCase();
}
