/** Moves the focus to the list of logs or, where there is none, to the page's main area. */
export function focusResults(): void {
  const results = document.querySelector<HTMLElement>("main [role=grid]") ?? document.querySelector("main");
  results?.focus();
}
