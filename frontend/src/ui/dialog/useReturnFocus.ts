import { useState } from "react";
import { focusResults } from "../focusResults";

/**
 * Returns the handler of a dialog's `onCloseAutoFocus`, for a dialog without a trigger of Radix. It gives the focus back
 * to the element that had it when the dialog opened; if that element is gone, to the page's main content.
 */
export function useReturnFocus(): (event: Event) => void {
  const [opener] = useState(focusedElement);
  return (event) => {
    event.preventDefault();
    if (document.activeElement !== document.body) return;
    if (opener instanceof HTMLElement) opener.focus();
    if (document.activeElement === document.body) focusResults();
  };
}

/** Returns the element with the focus. For an item of a menu, which closes now, this is the menu's button. */
function focusedElement(): Element | null {
  const focused = document.activeElement;
  const button = focused?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return button ? document.getElementById(button) : focused;
}
