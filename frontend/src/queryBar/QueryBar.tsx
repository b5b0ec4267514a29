import { type RefObject, useId } from "react";
import type { ApiProblem } from "../api/problem";
import type { KnownFields } from "../language/knownFields";
import { trimQuery } from "../language/tokenize";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useFocusKey } from "../ui/useFocusKey";
import type { LookUpValues } from "./editorExtensions";
import styles from "./QueryBar.module.css";
import { QueryEditor, type QueryEditorHandle } from "./QueryEditor";
import { QueryProblem } from "./QueryProblem";
import { SyntaxHelp } from "./SyntaxHelp";

interface QueryBarProps {
  /** The editor, for controls beside it that also run the typed text. */
  readonly editor: RefObject<QueryEditorHandle | null>;
  readonly query: string;
  /** Returns the fields for completion. */
  readonly fields: () => KnownFields;
  readonly lookUpValues: LookUpValues;
  readonly problem: ApiProblem | null;
  readonly onRun: (query: string) => void;
  /** Controls between the query and the button that runs it, such as the time range. */
  readonly children: React.ReactNode;
}

export function QueryBar({ editor, query, fields, lookUpValues, problem, onRun, children }: QueryBarProps) {
  const problemId = useId();
  useFocusKey("/", () => editor.current?.focus());
  const run = (text: string) => onRun(trimQuery(text));
  return (
    <search className={styles.bar}>
      <div className={styles.row}>
        <div className={styles.field} data-invalid={problem !== null}>
          <span className={styles.glass}>
            <Icon name="search" />
          </span>
          <QueryEditor
            ref={editor}
            query={query}
            fields={fields}
            lookUpValues={lookUpValues}
            problemPosition={problem?.position ?? null}
            describedBy={problemId}
            onRun={run}
          />
          <kbd className={styles.key} title="Press / to write a query">
            /
          </kbd>
          <SyntaxHelp onInsert={(text) => editor.current?.append(text)} />
        </div>
        {children}
        <Button
          tone="primary"
          size="large"
          data-testid={testIds.run}
          onClick={() => run(editor.current?.text() ?? "")}
        >
          Search
        </Button>
      </div>
      <div id={problemId}>{problem !== null && <QueryProblem problem={problem} onRun={run} />}</div>
    </search>
  );
}
