import { Dialog } from "radix-ui";
import type { ApiProblem } from "../api/problem";
import type { Explanation } from "../api/types";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Drawer } from "../ui/Drawer";
import { useReturnFocus } from "../ui/dialog/useReturnFocus";
import { Failure } from "../ui/Failure";
import { Icon } from "../ui/Icon";
import { AnalysisSection, type Measurement } from "./AnalysisSection";
import styles from "./ExplainDrawer.module.css";
import { IndexTable } from "./IndexTable";

interface ExplainDrawerProps {
  readonly explanation: Explanation | undefined;
  readonly problem: ApiProblem | null;
  readonly measurement: Measurement;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

/** Shows how the server understands and runs the search. */
export default function ExplainDrawer(props: ExplainDrawerProps) {
  const { explanation, problem, measurement, onRetry, onClose } = props;
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Drawer
        side="right"
        width="min(760px, 100vw)"
        onCloseAutoFocus={returnFocus}
        data-testid={testIds.explain}
      >
        <header className={styles.head}>
          <Dialog.Title className={styles.title}>How this search runs</Dialog.Title>
          <Dialog.Close asChild>
            <IconButton label="Close" data-testid={testIds.explainClose}>
              <Icon name="close" />
            </IconButton>
          </Dialog.Close>
        </header>
        <div className={styles.content}>
          {problem !== null && <Failure problem={problem} onRetry={onRetry} />}
          {problem === null && explanation === undefined && <p className={styles.note}>Loading the plan…</p>}
          {problem === null && explanation !== undefined && (
            <Sections explanation={explanation} measurement={measurement} />
          )}
        </div>
      </Drawer>
    </Dialog.Root>
  );
}

function Sections({ explanation, measurement }: { explanation: Explanation; measurement: Measurement }) {
  return (
    <>
      <section className={styles.plan}>
        <h3>Plan</h3>
        <p>
          <code>{explanation.plan}</code> {explanation.why}
        </p>
        {explanation.scan !== null && (
          <p>No index finds the rows, so every row in the range is tested: {explanation.scan}.</p>
        )}
      </section>
      <section>
        <h3>Indexes</h3>
        <IndexTable indexes={explanation.indexes} />
      </section>
      <AnalysisSection {...measurement} />
      <CodeSection
        title="Query in canonical form"
        text={explanation.query === "" ? "(every record)" : explanation.query}
      />
      <CodeSection title="Syntax tree" text={JSON.stringify(explanation.ast, null, 2)} />
      <CodeSection
        title={explanation.second_phase_sql === null ? "SQL" : "SQL that finds the page"}
        text={explanation.sql}
      />
      {explanation.second_phase_sql !== null && (
        <CodeSection title="SQL that reads the rows of the page" text={explanation.second_phase_sql} />
      )}
      {explanation.shards.length > 1 && (
        <p className={styles.note}>
          Each of {explanation.shards.length} shards runs this SQL over its own tables. The records are then
          merged.
        </p>
      )}
      <CodeSection title="Parameters" text={JSON.stringify(explanation.parameters, null, 2)} />
    </>
  );
}

function CodeSection({ title, text }: { title: string; text: string }) {
  return (
    <section>
      <div className={styles.codeHead}>
        <h3>{title}</h3>
        <CopyButton label={`Copy ${title}`} text={() => text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long text is scrolled by keys only where it can have the focus */}
      <pre className={styles.code} tabIndex={0}>
        <LoggedText text={text} />
      </pre>
    </section>
  );
}
