import { Popover } from "radix-ui";
import { useRef, useState } from "react";
import { SYNTAX_EXAMPLES } from "../language/syntaxExamples";
import { testIds } from "../testIds";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./SyntaxHelp.module.css";

export function SyntaxHelp({ onInsert }: { onInsert: (example: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const isInserted = useRef(false);
  const insert = (example: string) => {
    isInserted.current = true;
    setOpen(false);
    onInsert(example);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <IconButton label="Query syntax" data-testid={testIds.queryHelp}>
          <Icon name="help" size={15} />
        </IconButton>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={styles.panel}
          align="end"
          sideOffset={8}
          collisionPadding={12}
          aria-label="Query syntax"
          onOpenAutoFocus={() => {
            isInserted.current = false;
          }}
          onCloseAutoFocus={(event) => {
            // The query bar has the focus after an example was inserted.
            if (isInserted.current) event.preventDefault();
          }}
        >
          {SYNTAX_EXAMPLES.map(([group, examples]) => (
            <section key={group}>
              <h2 className={styles.group}>{group}</h2>
              {examples.map(([example, meaning]) => (
                <button
                  key={example}
                  type="button"
                  className={styles.example}
                  onClick={() => insert(example)}
                >
                  <code>{example}</code>
                  <span>{meaning}</span>
                </button>
              ))}
            </section>
          ))}
          <p className={styles.note}>
            Click an example to insert it. <kbd>Enter</kbd> runs the query, <kbd>Tab</kbd> accepts a
            suggestion, <kbd>↑</kbd> brings back earlier queries.
          </p>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
