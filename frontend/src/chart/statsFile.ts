import type { StatsTable } from "./statsRows";

const QUOTED = /[",\r\n]/;
/** Beginnings of a text that a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Returns a table as CSV (RFC 4180), like `logsieve logs stats --csv`: the group's kind, its values, the time bucket,
 * the functions. An apostrophe precedes text that a spreadsheet would take for a formula.
 */
export function toCsv({ fields, functions, hasTime, rows }: StatsTable): string {
  const head = ["kind", ...fields, ...(hasTime ? ["time"] : []), ...functions.map(({ name }) => name)];
  const lines = rows.map(({ kind, group, start, cells }) => [
    kind,
    ...fields.map((_, place) => guarded(group[place] ?? "")),
    ...(hasTime ? [start ?? ""] : []),
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
