/** Placeholder for a key that was not entered. */
export const NO_KEY = "PASTE-YOUR-INGEST-KEY";

const KEY = /^ls_[a-z]+_[0-9a-f]+_[0-9a-f]+$/;

/**
 * Returns the commands that set the environment variables of all snippets, with OpenTelemetry's names: address and key.
 */
export function environmentText(address: string, key: string): string {
  return [
    `export LOGSIEVE_INGEST_KEY='${key}'`,
    `export OTEL_EXPORTER_OTLP_ENDPOINT='${address}'`,
    "export OTEL_EXPORTER_OTLP_PROTOCOL='http/protobuf'",
    'export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$LOGSIEVE_INGEST_KEY"',
  ].join("\n");
}

/** Returns the key with its secret part hidden, as the page shows it. */
export function maskedKey(key: string): string {
  return key === NO_KEY ? key : `${key.slice(0, key.lastIndexOf("_") + 1)}${"•".repeat(8)}`;
}

/** Returns the error in a typed ingest key; null for a key that looks right or is empty. */
export function keyMistake(typed: string): string | null {
  if (typed === "") return null;
  if (!KEY.test(typed))
    return "This is not a whole key: keys look like ls_ingest_… with 64 hexadecimal digits.";
  if (!typed.startsWith("ls_ingest_")) {
    const purpose = typed.split("_")[1] ?? "";
    return `This is a key of purpose ${purpose}. Only an ingest key can send logs.`;
  }
  return null;
}
