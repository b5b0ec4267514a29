import styles from "./CodeBlock.module.css";
import { CopyButton } from "./CopyButton";
import { selectedCode } from "./selectedCode";

interface CodeBlockProps {
  /** Title of the code: the name of a file, or the effect of a command. */
  readonly title: string;
  readonly code: string;
  /** Text to copy, if it differs from the shown one. */
  readonly copied?: string;
  /** True if long lines are wrapped, so that all of a key is in sight. */
  readonly isWrapped?: boolean;
  readonly "data-testid"?: string;
}

/** Code under its title, with a button that copies it. A selection is copied with the whole key, too. */
export function CodeBlock(props: CodeBlockProps) {
  const { title, code, copied = code, isWrapped = false, "data-testid": testId } = props;
  const copySelection = (event: React.ClipboardEvent) => {
    if (copied === code) return;
    const selected = globalThis.getSelection()?.toString() ?? "";
    event.clipboardData.setData("text/plain", selectedCode(selected, code, copied));
    event.preventDefault();
  };
  return (
    <figure className={styles.block} data-testid={testId}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        <CopyButton label={`Copy ${title}`} text={() => copied} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keys only where they can have the focus */}
      <pre className={styles.code} data-wrapped={isWrapped} tabIndex={0} onCopy={copySelection}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
