/** Writes text to the clipboard. Returns false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughSelection(text);
  }
}

/**
 * Copies without the clipboard API, which browsers offer only over HTTPS and on localhost. Many users run Logsieve over
 * plain HTTP.
 */
function copyThroughSelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  const focused = document.activeElement;
  // A dialog or a menu takes the focus, and with it the selection, back from everything outside it.
  (focused?.closest("[role=dialog], [role=alertdialog], [role=menu]") ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
