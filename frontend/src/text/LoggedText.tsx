import styles from "./LoggedText.module.css";
import { linePieces, pieces } from "./signs";

interface LoggedTextProps {
  readonly text: string;
  /** Draws line breaks and tabs as signs, so that the whole text stays on one line. */
  readonly isOneLine?: boolean;
}

/**
 * Text that others wrote. It is always text, never HTML; hidden characters are drawn as signs, and its direction ends
 * where it ends. The original characters stay in the page, so that selecting and copying gives what was logged.
 */
export function LoggedText(props: LoggedTextProps) {
  return (
    <bdi>
      <Pieces {...props} />
    </bdi>
  );
}

/** Like LoggedText, but without a text direction of its own, for parts of one text. */
export function Pieces({ text, isOneLine = false }: LoggedTextProps) {
  return (isOneLine ? linePieces(text) : pieces(text)).map(({ text: part, sign, from }) =>
    sign === null ? part : <Sign key={from} text={part} sign={sign} />,
  );
}

/** A sign in the place of characters that are not drawn. */
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
