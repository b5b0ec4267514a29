/** Returns the names of columns, each once, in the form of the API's parameter `columns`. */
export function exportColumns(names: readonly string[]): string {
  return [...new Set(names)].map((name) => name.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}
