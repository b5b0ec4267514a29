/**
 * Returns the text to copy for a selection of shown code. Each selected line that is a whole line of `shown` is replaced
 * by the same line of `copied`, which has the whole key. Other lines are copied as they are selected.
 */
export function selectedCode(selected: string, shown: string, copied: string): string {
  const shownLines = shown.split("\n");
  const copiedLines = copied.split("\n");
  return selected
    .split("\n")
    .map((line) => copiedLines[shownLines.indexOf(line)] ?? line)
    .join("\n");
}
