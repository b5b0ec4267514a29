/** Returns a body that is a JSON object or array on indented lines; null for every other body. */
export function prettyJson(body: string): string | null {
  if (!/^\s*[[{]/.test(body)) return null;
  try {
    const value: unknown = JSON.parse(body);
    // A JavaScript number would change digits that it cannot hold, so a body with such a number is shown as it was
    // sent.
    return hasUnsafeNumber(body) ? null : JSON.stringify(value, null, 2);
  } catch {
    return null;
  }
}

function hasUnsafeNumber(body: string): boolean {
  const outsideStrings = body.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
  return (outsideStrings.match(/\d[\d.]{15,}/g) ?? []).length > 0;
}
