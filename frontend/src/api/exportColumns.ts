/** Returns the names of columns in the form of the API's parameter `columns`. */
export function exportColumns(names: readonly string[]): string {
  return names.map((name) => name.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}
