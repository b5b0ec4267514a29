import { Link } from "@tanstack/react-router";
import { useId, useRef } from "react";
import type { View } from "../api/types";
import { splitStats } from "../language/statsStage";
import type { KeyedPanel } from "../panels/panelList";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import type { TimeRange, TimeWindow } from "../time/timeExpression";
import { EMPTY_RANGE } from "../timeRange/emptyRange";
import { DEFAULT_STATE } from "../url/searchState";
import { stateOf } from "../views/viewState";
import { LogsPanel } from "./LogsPanel";
import { NumbersPanel } from "./NumbersPanel";
import styles from "./Panel.module.css";
import { useOnScreen } from "./useOnScreen";

interface PanelProps {
  readonly panel: KeyedPanel;
  /** The view that the panel shows; undefined if it was deleted. */
  readonly view: View | undefined;
  readonly range: TimeRange;
  readonly window: TimeWindow | null;
  /** Controls that change the panel; false while the dashboard is not edited. */
  readonly controls: React.ReactElement | false;
  /** True while another panel is dragged over this one. */
  readonly isDropTarget: boolean;
  readonly onRange: (range: TimeRange) => void;
}

/** A panel of the grid: its title, which links to the search, and the logs or numbers of its view. */
export function Panel({ panel, view, range, window, controls, isDropTarget, onRange }: PanelProps) {
  const titleId = useId();
  const article = useRef<HTMLElement>(null);
  const isOn = useOnScreen(article);
  const title = titleOf(panel, view);
  const isNumbers = view !== undefined && splitStats(view.query).stats !== null;
  const Body = isNumbers ? NumbersPanel : LogsPanel;
  return (
    <article
      ref={article}
      className={styles.panel}
      aria-labelledby={titleId}
      data-testid={testIds.panel}
      data-panel={panel.key}
      data-width={panel.width}
      data-height={panel.height}
      data-drop={isDropTarget}
    >
      <h2 id={titleId} className={styles.title} data-hidden={controls !== false}>
        {view === undefined || controls !== false ? (
          title
        ) : (
          <Link
            to="/"
            search={{ ...DEFAULT_STATE, ...stateOf(view), ...range, view: view.id }}
            preload={false}
            title="Open in Search"
          >
            {title}
          </Link>
        )}
      </h2>
      {controls}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region needs a Tab stop to be scrolled by keyboard */}
      <section className={styles.body} aria-label={`Content of ${title}`} tabIndex={0}>
        {view === undefined && (
          <p className={styles.note}>
            The view of this panel was deleted. Edit the dashboard to remove the panel.
          </p>
        )}
        {view !== undefined && window === null && <p className={styles.note}>{EMPTY_RANGE}</p>}
        {view !== undefined && window !== null && (
          <Body view={view} range={range} window={window} isOn={isOn} onRange={onRange} />
        )}
      </section>
    </article>
  );
}

/** Returns the panel's own title. If it has none, returns the name of its view. */
export function titleOf(panel: KeyedPanel, view: View | undefined): string {
  return visibleText(panel.title || view?.name || "Deleted view");
}
