/** A frame of a stack trace as Java, JavaScript and .NET write it. Spaces only: a line break would begin the next line. */
const FRAME = /^[ \t]+at \S/m;

/** Returns true for a text with a frame of a stack trace. */
export function hasStackTrace(text: string): boolean {
  return FRAME.test(text);
}
