import type { ExportFormat } from "../api/logsApi";

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** Counts the records of a file that arrives in pieces. */
export interface RecordCounter {
  /** Counts the records that end in this piece. */
  readonly add: (piece: Uint8Array) => void;
  /** Returns the number of records so far, without the line of column names that a CSV file begins with. */
  readonly count: () => number;
}

/**
 * Returns a counter. Each record of NDJSON is a line. Values of CSV may contain line feeds, but only between quotes,
 * which are doubled inside of values.
 */
export function recordCounter(format: ExportFormat): RecordCounter {
  const isCsv = format === "csv";
  let lines = 0;
  let isQuoted = false;
  return {
    add: (piece) => {
      for (const byte of piece) {
        if (isCsv && byte === QUOTE) isQuoted = !isQuoted;
        else if (byte === NEWLINE && !isQuoted) lines += 1;
      }
    },
    count: () => Math.max(0, isCsv ? lines - 1 : lines),
  };
}
