import { createElement, Fragment } from "react";
import styles from "./LoggedText.module.css";
import { isPlain, linePieces, type Piece, pieces } from "./signs";

interface LoggedTextProps {
  readonly text: string;
  /** Draws line breaks and tabs as signs, so that the whole text stays on one line. */
  readonly isOneLine?: boolean;
}

/**
 * Shows text from logs. It is always text, never HTML. Hidden characters are drawn as signs, and the text's direction
 * does not affect its surroundings. The original characters stay in the page, so that selecting and copying gives the
 * logged text.
 */
export function LoggedText({ text, isOneLine = false }: LoggedTextProps) {
  return isPlain(text) ? text : <bdi>{drawnText(text, isOneLine)}</bdi>;
}

/** Returns the content of an element that shows text from logs, for parts of one text. */
export function drawnText(text: string, isOneLine: boolean): React.ReactNode {
  if (isPlain(text)) return text;
  const parts = isOneLine ? linePieces(text) : pieces(text);
  if (parts.every(({ sign }) => sign === null)) return text;
  // Children by place, without keys: a row that is filled with another text keeps its elements.
  return createElement(Fragment, null, ...parts.map(drawnPiece));
}

function drawnPiece({ text, sign }: Piece): React.ReactNode {
  return sign === null ? text : <Sign text={text} sign={sign} />;
}

/** Shows a sign in place of characters that are not drawn. */
function Sign({ text, sign }: { text: string; sign: string }) {
  return (
    <span className={styles.sign} data-sign={sign} title={codesOf(text)}>
      <span className={styles.original}>{text}</span>
    </span>
  );
}

function codesOf(text: string): string {
  const codes = [...text].map((character) => character.codePointAt(0)?.toString(16).toUpperCase() ?? "");
  return codes.map((code) => `U+${code.padStart(4, "0")}`).join(" ");
}
