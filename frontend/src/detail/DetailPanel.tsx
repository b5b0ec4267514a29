import type { ApiProblem } from "../api/problem";
import type { Log } from "../api/types";
import { severityLabel, severityOf } from "../severity/severity";
import { testIds } from "../testIds";
import { IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Failure } from "../ui/Failure";
import { Icon } from "../ui/Icon";
import { BodyView } from "./BodyView";
import styles from "./DetailPanel.module.css";
import { FieldRow } from "./FieldRow";
import { type FilterBy, fieldGroups } from "./recordFields";
import { TimesTable } from "./TimesTable";

interface DetailPanelProps {
  /** Undefined while it is fetched. */
  readonly record: Log | undefined;
  readonly problem: ApiProblem | null;
  readonly query: string;
  readonly link: () => string;
  /** Ids of the records above and below in the list; null at its ends. */
  readonly previous: string | null;
  readonly next: string | null;
  readonly onGo: (id: string) => void;
  readonly onFilter: FilterBy;
  readonly onRetry: () => void;
  readonly onClose: () => void;
}

export function DetailPanel(props: DetailPanelProps) {
  const { record, problem } = props;
  return (
    <section className={styles.panel} aria-label="Log record" data-testid={testIds.detail}>
      <PanelHead {...props} />
      <div className={styles.content}>
        {problem !== null && <Failure problem={problem} onRetry={props.onRetry} />}
        {problem === null && record === undefined && <p className={styles.note}>Loading the record…</p>}
        {record !== undefined && (
          <div key={record.id}>
            <BodyView body={record.body} truncatedBytes={record.body_truncated_bytes} query={props.query} />
            <TimesTable timestamp={record.timestamp} observed={record.observed_timestamp} />
            {fieldGroups(record).map(({ title, fields }) => (
              <section key={title} aria-label={title}>
                <div className={styles.groupHead}>
                  <h3>{title}</h3>
                </div>
                <dl className={styles.fields}>
                  {fields.map((field) => (
                    <FieldRow key={field.name} field={field} onFilter={props.onFilter} />
                  ))}
                </dl>
              </section>
            ))}
          </div>
        )}
      </div>
    </section>
  );
}

function PanelHead({ record, previous, next, link, onGo, onClose }: DetailPanelProps) {
  const severity = severityOf(record?.severity_number ?? 0);
  return (
    <header className={styles.head}>
      <span className={styles.severity} data-severity={severity}>
        {severityLabel(severity)}
      </span>
      <h2 className={styles.title}>{record?.service ?? ""}</h2>
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
