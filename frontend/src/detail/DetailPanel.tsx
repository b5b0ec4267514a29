import { useRef } from "react";
import type { ApiProblem } from "../api/problem";
import type { Log } from "../api/types";
import { ContextView } from "../context/ContextView";
import type { FilterBy } from "../language/editQuery";
import { ResizablePanel } from "../layout/ResizablePanel";
import { severityLabel, severityOf } from "../severity/severity";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Failure } from "../ui/Failure";
import { Icon } from "../ui/Icon";
import type { ContextChoice } from "../url/contextChoice";
import { CopyRecordMenu } from "./CopyRecordMenu";
import styles from "./DetailPanel.module.css";
import { RecordView } from "./RecordView";
import { usePanelFocus } from "./usePanelFocus";

interface DetailPanelProps {
  /** The record to show; undefined while it is being fetched. */
  readonly record: Log | undefined;
  readonly problem: ApiProblem | null;
  readonly query: string;
  readonly link: () => string;
  /** Ids of the records above and below in the list; null at its ends. */
  readonly previous: string | null;
  readonly next: string | null;
  /** The field whose value the shown neighbours share with the record; null while the record itself is shown. */
  readonly context: ContextChoice | null;
  readonly onContext: (choice: ContextChoice | null) => void;
  readonly onOpenNeighbour: (id: string) => void;
  readonly onGo: (id: string) => void;
  readonly onFilter: FilterBy;
  /** Narrows the query by a term. */
  readonly onTerm: (term: string) => void;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

export function DetailPanel(props: DetailPanelProps) {
  const { record, problem } = props;
  const content = useRef<HTMLDivElement>(null);
  usePanelFocus(content);
  return (
    <ResizablePanel panel="record" side="right" label="Width of the record">
      <section className={styles.panel} aria-label="Log record" data-testid={testIds.detail}>
        <PanelHead {...props} />
        <PanelTabs context={props.context} onContext={props.onContext} />
        <div ref={content} className={styles.content} tabIndex={-1}>
          {problem !== null && <Failure problem={problem} onRetry={props.onRetry} />}
          {problem === null && record === undefined && <p className={styles.note}>Loading the record…</p>}
          {record !== undefined && <PanelContent {...props} record={record} />}
        </div>
      </section>
    </ResizablePanel>
  );
}

function PanelContent(props: DetailPanelProps & { readonly record: Log }) {
  const { record, context } = props;
  if (context === null) {
    return <RecordView record={record} query={props.query} onFilter={props.onFilter} onTerm={props.onTerm} />;
  }
  return (
    <ContextView
      key={record.id}
      record={record}
      choice={context}
      onChoice={props.onContext}
      onOpen={props.onOpenNeighbour}
    />
  );
}

interface PanelTabsProps {
  readonly context: ContextChoice | null;
  readonly onContext: (choice: ContextChoice | null) => void;
}

function PanelTabs({ context, onContext }: PanelTabsProps) {
  return (
    <nav className={styles.tabs} aria-label="Views of the record">
      <button
        type="button"
        aria-current={context === null}
        data-testid={testIds.tabRecord}
        onClick={() => onContext(null)}
      >
        Record
      </button>
      <button
        type="button"
        aria-current={context !== null}
        data-testid={testIds.tabContext}
        onClick={() => onContext(context ?? "all")}
      >
        Context
      </button>
    </nav>
  );
}

function PanelHead({ record, previous, next, link, onGo, onClose }: DetailPanelProps) {
  const severity = severityOf(record?.severity_number ?? 0);
  return (
    <header className={styles.head}>
      <span className={styles.severity} data-severity={severity}>
        {severityLabel(severity)}
      </span>
      <h2 className={styles.title}>
        <LoggedText text={record?.service ?? ""} isOneLine />
      </h2>
      <IconButton
        label="Previous record (k)"
        disabled={previous === null}
        data-testid={testIds.detailPrevious}
        onClick={() => previous !== null && onGo(previous)}
      >
        <Icon name="up" />
      </IconButton>
      <IconButton
        label="Next record (j)"
        disabled={next === null}
        data-testid={testIds.detailNext}
        onClick={() => next !== null && onGo(next)}
      >
        <Icon name="down" />
      </IconButton>
      {record !== undefined && <CopyRecordMenu record={record} />}
      <CopyButton
        label="Copy a link to this record"
        text={link}
        icon="link"
        data-testid={testIds.detailLink}
      />
      <IconButton label="Close (Escape)" data-testid={testIds.detailClose} onClick={onClose}>
        <Icon name="close" />
      </IconButton>
    </header>
  );
}
