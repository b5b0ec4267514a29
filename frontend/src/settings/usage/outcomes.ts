/** Why records or requests were refused, and what to do about it, by the outcome that the API counts. */
const OUTCOMES: Readonly<Record<string, readonly [title: string, advice: string]>> = {
  accepted: ["Accepted", "Stored and searchable."],
  too_old: [
    "Too old",
    "The time of the record is before the tenant's retention. Check the sender's clock, or ask for a longer retention.",
  ],
  too_new: ["Too new", "The time of the record is more than an hour ahead. Check the sender's clock."],
  severity_number: [
    "Unknown severity number",
    "Severity numbers are 0 to 24. Check the instrumentation that sets them.",
  ],
  record_attribute_names: [
    "Too many attributes in a record",
    "Send fewer names: put parts of a name that change, such as ids, into values.",
  ],
  request_attribute_names: [
    "Too many attribute names in a request",
    "Put parts of a name that change, such as ids, into values, or send smaller batches.",
  ],
  day_attribute_names: [
    "Too many new attribute names in a day",
    "Some program makes names of values. Find names with ids or numbers in them in the list of fields.",
  ],
  bytes_per_second: [
    "Over the limit of bytes per second",
    "Senders repeat such requests by themselves. If this goes on, send less, or ask for a higher limit.",
  ],
  records_per_second: [
    "Over the limit of records per second",
    "Senders repeat such requests by themselves. If this goes on, send less, or ask for a higher limit.",
  ],
  bytes_per_day: [
    "Over the limit of bytes per day",
    "Nothing more is taken until midnight UTC. Send less, or ask for a higher limit.",
  ],
  rate_limited: [
    "Receiver busy",
    "The receiver had too much to do. Senders repeat such requests by themselves.",
  ],
  unavailable: [
    "Receiver could not store",
    "Kafka did not answer. Senders repeat such requests by themselves until it does.",
  ],
  invalid_request: [
    "Not valid OTLP",
    "The body is no OTLP request for logs. Check the exporter's protocol (http/protobuf or JSON) and path.",
  ],
  unsupported_media_type: [
    "Wrong content type",
    "Send application/x-protobuf or application/json, with gzip, deflate, zstd or no compression.",
  ],
  too_large: ["Request too large", "A request may have 16 MiB decompressed. Send smaller batches."],
};

/** Returns a few words for an outcome; the outcome itself where it is not known. */
export function outcomeTitle(outcome: string): string {
  return OUTCOMES[outcome]?.[0] ?? outcome;
}

/** Returns what an outcome means and what to do about it; "" where it is not known. */
export function outcomeAdvice(outcome: string): string {
  return OUTCOMES[outcome]?.[1] ?? "";
}
