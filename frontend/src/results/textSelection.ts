/** Returns false while text of the page is selected, as before it is copied. */
export function isNothingSelected(): boolean {
  return window.getSelection()?.isCollapsed ?? true;
}
