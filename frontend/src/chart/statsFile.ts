import type { StatsTable } from "./statsRows";

const QUOTED = /[",\r\n]/;
/** Beginnings of a text that a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Returns a table as CSV (RFC 4180), like `logsieve logs stats --csv`: the group's kind, the time bucket, its
 * values, the functions. An apostrophe precedes text that a spreadsheet would take for a formula.
 */
export function toCsv({ fields, functions, hasTime, rows }: StatsTable): string {
  const names = [...fields, ...functions.map(({ name }) => name)].map(guarded);
  const head = ["kind", ...(hasTime ? ["time"] : []), ...names];
  const lines = rows.map(({ kind, group, start, cells }) => [
    kind,
    ...(hasTime ? [start ?? ""] : []),
    ...fields.map((_, place) => guarded(group[place] ?? "")),
    ...cells.map((cell) => (cell === null ? "" : String(cell))),
  ]);
  return [head, ...lines].map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
}

function guarded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
