import { Tabs } from "radix-ui";
import { testIds } from "../testIds";
import { CodeBlock } from "../ui/CodeBlock";
import { environmentText, maskedKey } from "./environment";
import styles from "./SnippetTabs.module.css";
import { SNIPPETS, type Snippet } from "./snippets";

interface SnippetTabsProps {
  readonly address: string;
  readonly keyText: string;
  /** The receiver's port of OTLP over gRPC; null if it is not known. */
  readonly grpcPort: number | null;
}

/** Tabs with the ways to send a first log. All read address and key from the same environment variables. */
export function SnippetTabs({ address, keyText, grpcPort }: SnippetTabsProps) {
  return (
    <div className={styles.snippets}>
      <CodeBlock
        title="Set address and key in a shell"
        code={environmentText(address, maskedKey(keyText))}
        copied={environmentText(address, keyText)}
        data-testid={testIds.environment}
      />
      <Tabs.Root defaultValue="curl" className={styles.tabs}>
        <Tabs.List className={styles.list} aria-label="Send with">
          {SNIPPETS.map(({ id, name }) => (
            <Tabs.Trigger key={id} value={id} className={styles.tab} data-testid={testIds.snippetTab}>
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {SNIPPETS.map((snippet) => (
          <Tabs.Content key={snippet.id} value={snippet.id} className={styles.snippets}>
            <SnippetSteps snippet={snippet} />
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <p className={styles.note}>
        OTLP over gRPC works the same way{grpcPort === null ? "" : `, on port ${grpcPort}`}.
      </p>
    </div>
  );
}

function SnippetSteps({ snippet }: { snippet: Snippet }) {
  const { install, isInstalledFromFiles, files, run, note } = snippet;
  const installation = install !== null && <CodeBlock title="Install the packages" code={install} />;
  return (
    <>
      {!isInstalledFromFiles && installation}
      {files.map(({ name, text }) => (
        <CodeBlock key={name} title={name} code={text} data-testid={testIds.snippet} />
      ))}
      {isInstalledFromFiles && installation}
      <CodeBlock title="Run it in the same shell" code={run} data-testid={testIds.snippetRun} />
      <p className={styles.note}>{note}</p>
    </>
  );
}
