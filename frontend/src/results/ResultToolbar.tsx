import { testIds } from "../testIds";
import { AutoRefreshMenu } from "../timeRange/AutoRefreshMenu";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import type { AreaProps } from "./areaProps";
import { ModeSwitch } from "./ModeSwitch";
import styles from "./ResultToolbar.module.css";

interface ResultToolbarProps extends Pick<AreaProps, "state" | "change" | "onMode" | "onRefresh"> {
  /** Name of the running request for screen readers; null while none runs. */
  readonly running: string | null;
  /** Progress of the running request. */
  readonly progress?: string | undefined;
  /** Cancels the running request. Takes the place of Refresh meanwhile. */
  readonly onCancel?: () => void;
  /** Buttons before Refresh. */
  readonly controls?: React.ReactNode;
  /** Content at the right edge. */
  readonly children: React.ReactNode;
}

/** Toolbar above the results of all modes. */
export function ResultToolbar(props: ResultToolbarProps) {
  const { state, running, onCancel } = props;
  return (
    <section className={styles.toolbar} aria-label="Results">
      <ModeSwitch mode={state.mode} onMode={props.onMode} />
      {props.controls}
      {running !== null && onCancel !== undefined ? (
        <Button
          size="small"
          tone="ghost"
          title="Stop this search (Escape)"
          data-testid={testIds.cancel}
          onClick={onCancel}
        >
          <Icon name="close" />
          Cancel
        </Button>
      ) : (
        <Button
          size="small"
          tone="ghost"
          aria-label="Refresh"
          title="Run the search again, up to now"
          data-testid={testIds.refresh}
          onClick={props.onRefresh}
        >
          <Icon name="refresh" />
          <span className={styles.caption}>Refresh</span>
        </Button>
      )}
      <AutoRefreshMenu
        choice={state.refresh}
        endsNow={state.to === "now"}
        onChoose={(refresh) => props.change({ refresh }, "replace")}
      />
      <span className={styles.space} />
      {props.children}
      {running !== null && (
        <span
          className={styles.progress}
          role="progressbar"
          aria-label={running}
          aria-valuetext={props.progress}
        />
      )}
    </section>
  );
}
