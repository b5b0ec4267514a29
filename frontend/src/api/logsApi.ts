import type { TimeWindow } from "../time/timeExpression";
import type { PagePart } from "./searchStream";
import type {
  Context,
  Explanation,
  FieldList,
  FieldValues,
  HistogramAnswer,
  Log,
  Order,
  PatternsAnswer,
  SearchPage,
  StatsAnswer,
  Tenant,
  UiSession,
  Usage,
} from "./types";

export interface WindowQuery extends TimeWindow {
  readonly query: string;
}

/**
 * Number of records to show before and after a record, and the fields, separated by commas, whose values must equal
 * those of the record.
 */
export interface Around {
  readonly before: number;
  readonly after: number;
  readonly same: string;
}

export type ExportFormat = "ndjson" | "csv";
export type UsageInterval = Usage["interval"];

export interface ExportFile {
  readonly name: string;
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * Client of the API's routes that read. A method that fails rejects with an ApiProblem, and with an AbortError if its
 * signal is aborted.
 */
export interface LogsApi {
  /** Exchanges the token of a sign-in link for a key. */
  uiSession(token: string): Promise<UiSession>;
  tenant(): Promise<Tenant>;
  /** Reads a page of records. Reports the records that have arrived each time the server finishes a window. */
  search(
    search: WindowQuery,
    order: Order,
    cursor: string | null,
    signal: AbortSignal,
    onPart: (part: PagePart) => void,
  ): Promise<SearchPage>;
  /** Reads a page of records from all times that the tenant's retention keeps. */
  everywhere(
    query: string,
    order: Order,
    cursor: string | null,
    signal: AbortSignal,
    limit?: number,
  ): Promise<SearchPage>;
  /** Counts records over time by the values of a field, or by severity where `by` is null. */
  histogram(
    search: WindowQuery,
    buckets: number,
    by: string | null,
    signal: AbortSignal,
  ): Promise<HistogramAnswer>;
  /** Computes the numbers of a query text that ends in `| stats …`. */
  stats(search: WindowQuery, signal: AbortSignal): Promise<StatsAnswer>;
  /** Groups the newest matching messages into patterns, most frequent first. */
  patterns(search: WindowQuery, signal: AbortSignal): Promise<PatternsAnswer>;
  explain(search: WindowQuery, order: Order, analyze: boolean, signal: AbortSignal): Promise<Explanation>;
  fields(search: WindowQuery, signal: AbortSignal): Promise<FieldList>;
  /** Returns the most frequent values of a field that begin with the prefix. */
  fieldValues(search: WindowQuery, name: string, prefix: string, signal?: AbortSignal): Promise<FieldValues>;
  log(id: string, signal: AbortSignal): Promise<Log>;
  /** Returns the newest matching records, newest first. */
  newest(search: WindowQuery, limit: number, signal: AbortSignal): Promise<readonly Log[]>;
  /** Returns the usage in a range of time, accepted and refused, by day or by minute. */
  usage(range: TimeWindow, interval: UsageInterval, signal: AbortSignal): Promise<Usage>;
  context(id: string, around: Around, signal: AbortSignal): Promise<Context>;
  /**
   * Opens a stream of Server-Sent Events. It begins after the event with this id, or with new records if the id is
   * null.
   */
  tail(query: string, lastId: string | null, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /**
   * Resolves once the response headers have arrived. The bytes of the file are read from the returned stream. `columns`
   * are the names of a CSV file's columns; null for all members of the records.
   */
  export(
    search: WindowQuery,
    order: Order,
    format: ExportFormat,
    columns: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<ExportFile>;
}
