/** The body laid out over lines when it is a JSON object or array; null when it is not. */
export function prettyJson(body: string): string | null {
  if (!/^\s*[[{]/.test(body)) return null;
  try {
    const value: unknown = JSON.parse(body);
    // Digits that a number cannot hold would be shown changed: such a body stays as it was sent.
    return hasUnsafeNumber(body) ? null : JSON.stringify(value, null, 2);
  } catch {
    return null;
  }
}

function hasUnsafeNumber(body: string): boolean {
  const outsideStrings = body.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
  return (outsideStrings.match(/\d[\d.]{15,}/g) ?? []).length > 0;
}
