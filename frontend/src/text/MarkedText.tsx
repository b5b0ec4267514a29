import { createElement, Fragment } from "react";
import { drawnText } from "./LoggedText";
import styles from "./MarkedText.module.css";
import type { Segment } from "./segments";
import { isPlain } from "./signs";

interface MarkedTextProps {
  readonly segments: readonly Segment[];
  /** Draws line breaks and tabs as signs, so that the whole text stays on one line. */
  readonly isOneLine?: boolean;
}

/** Shows text with its matched parts marked. React escapes the text, whatever a log contains. */
export function MarkedText({ segments, isOneLine = false }: MarkedTextProps) {
  const isCut = (segments[0]?.from ?? 0) > 0;
  if (!isCut && segments.every(({ text }) => isPlain(text))) return marked(segments, isOneLine);
  return <bdi className={isCut ? styles.cut : undefined}>{marked(segments, isOneLine)}</bdi>;
}

/** Like MarkedText, but without its own text direction, for parts of one text. */
export function Marks({ segments }: Pick<MarkedTextProps, "segments">) {
  return marked(segments, false);
}

function marked(segments: readonly Segment[], isOneLine: boolean): React.ReactNode {
  const parts = segments.map(({ text, isMatch }) => {
    const drawn = drawnText(text, isOneLine);
    return isMatch ? createElement("mark", null, drawn) : drawn;
  });
  // Children by place, without keys: a row that is filled with another message keeps its elements.
  return parts.length === 1 ? parts[0] : createElement(Fragment, null, ...parts);
}
