import { createElement, Fragment } from "react";
import { plural } from "../format/quantity";
import styles from "./LoggedText.module.css";
import { isPlain, linePieces, type Piece, pieces } from "./signs";

/**
 * Largest number of pieces that are drawn of one text. Each piece is an argument of one function call, and a
 * browser fails with a hundred thousand arguments.
 */
const MAX_PIECES = 10_000;

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
  const drawn = parts.slice(0, MAX_PIECES).map(drawnPiece);
  const rest = parts[MAX_PIECES];
  if (rest !== undefined) drawn.push(<Rest text={text.slice(rest.from)} />);
  // Children by place, without keys: a row that is filled with another text keeps its elements.
  return createElement(Fragment, null, ...drawn);
}

function drawnPiece({ text, sign }: Piece): React.ReactNode {
  return sign === null ? text : <Sign text={text} sign={sign} />;
}

/** Shows a sign in place of the end of a text that has too many pieces. */
function Rest({ text }: { text: string }) {
  const sign = `… ${plural(text.length, "more character")}`;
  return <Sign text={text} sign={sign} title="Not shown; copying the text includes it" />;
}

interface SignProps {
  readonly text: string;
  readonly sign: string;
  /** Text of the tooltip; the codes of the characters if it is not given. */
  readonly title?: string;
}

/** Shows a sign in place of characters that are not drawn. */
function Sign({ text, sign, title = codesOf(text) }: SignProps) {
  return (
    <span className={styles.sign} data-sign={sign} title={title}>
      <span className={styles.original}>{text}</span>
    </span>
  );
}

function codesOf(text: string): string {
  const codes = [...text].map((character) => character.codePointAt(0)?.toString(16).toUpperCase() ?? "");
  return codes.map((code) => `U+${code.padStart(4, "0")}`).join(" ");
}
