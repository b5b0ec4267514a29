import { useRef, useState } from "react";
import { copyText } from "./copyText";

const SAID_MS = 1600;

export interface Copying {
  /** Outcome of the last copy for a short time, then "". */
  readonly said: "" | "Copied" | "Copying is blocked";
  readonly copy: (text: string) => void;
}

/** Copies text, and reports the outcome for a short time. */
export function useCopy(): Copying {
  const [said, setSaid] = useState<Copying["said"]>("");
  const timer = useRef(0);
  const copy = async (text: string) => {
    setSaid((await copyText(text)) ? "Copied" : "Copying is blocked");
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setSaid(""), SAID_MS);
  };
  return { said, copy: (text) => void copy(text) };
}
