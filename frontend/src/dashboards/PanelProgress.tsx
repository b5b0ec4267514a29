import toolbar from "../results/ResultToolbar.module.css";

/** A line at the edge of a panel that moves while the panel is read. */
export function PanelProgress({ label }: { label: string }) {
  return <span className={toolbar.progress} role="progressbar" aria-label={label} />;
}
