import type { StatsTable } from "./statsRows";

const QUOTED = /[",\r\n]/;
/** Places before characters with which a spreadsheet would begin a formula. In some countries, it splits lines at `;`. */
const BEFORE_FORMULA = /^(?=[=+\-@\t\r])|(?<=[;\t])(?=[=+\-@])/g;

/**
 * Returns a table as CSV (RFC 4180), like `logsieve logs stats --csv`. The columns are the kind of group, the start of
 * the time bucket, the values of the group, and the functions. An apostrophe is added before text that a spreadsheet
 * would treat as a formula.
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
  return text.replace(BEFORE_FORMULA, "'");
}

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
