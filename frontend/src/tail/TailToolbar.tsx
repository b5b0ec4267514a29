import { sentence } from "../api/problem";
import { formatCount } from "../format/quantity";
import { DensityToggle } from "../results/DensityToggle";
import toolbarStyles from "../results/ResultToolbar.module.css";
import { WrapToggle } from "../results/WrapToggle";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import type { TailStatus } from "./followTail";
import styles from "./TailToolbar.module.css";
import type { Tail } from "./useTail";

interface TailToolbarProps {
  readonly tail: Tail;
  readonly isPaused: boolean;
  readonly onTogglePause: () => void;
}

export function TailToolbar({ tail, isPaused, onTogglePause }: TailToolbarProps) {
  const { status, view } = tail;
  const gap = tail.gap === null ? null : visibleText(sentence(tail.gap));
  return (
    <section className={toolbarStyles.toolbar} aria-label="Live tail">
      <span className={styles.state} data-kind={isPaused && status.kind === "live" ? "paused" : status.kind}>
        {/* Screen readers announce the state only. They would announce the rate every second. */}
        <span role="status" data-testid={testIds.tailStatus} title={stateText(status, isPaused)}>
          {stateText(status, isPaused)}
        </span>
      </span>
      <span className={styles.rate}>{rateText(tail.rate)}</span>
      <Button
        size="small"
        tone={view.waitingCount > 0 ? "primary" : "ghost"}
        title={isPaused ? "Show the waiting logs and continue" : "Keep new logs waiting"}
        data-testid={testIds.tailPause}
        onClick={onTogglePause}
      >
        <Icon name={isPaused ? "play" : "pause"} size={12} />
        {isPaused ? resumeText(view.waitingCount) : "Pause"}
      </Button>
      <WrapToggle />
      <DensityToggle />
      {status.kind === "failed" && (
        <Button size="small" tone="ghost" data-testid={testIds.retry} onClick={tail.restart}>
          <Icon name="refresh" />
          Try again
        </Button>
      )}
      <span className={toolbarStyles.space} />
      {gap !== null && (
        <span className={styles.gap} role="alert" data-testid={testIds.tailGap}>
          <Icon name="alert" />
          <span className={styles.detail} title={gap}>{`Records are missing. ${gap}`}</span>
          <IconButton label="Dismiss" onClick={tail.dismissGap}>
            <Icon name="close" size={12} />
          </IconButton>
        </span>
      )}
    </section>
  );
}

function stateText(status: TailStatus, isPaused: boolean): string {
  switch (status.kind) {
    case "connecting":
      return "Connecting…";
    case "live":
      return isPaused ? "Paused" : "Live";
    case "waiting":
      return `Waiting for Kafka. ${visibleText(sentence(status.detail))}`;
    case "reconnecting":
      return `Reconnecting. ${visibleText(sentence(status.detail))}`;
    case "failed":
      return `Ended. ${visibleText(sentence(status.problem.message))}`;
  }
}

function rateText(rate: number): string {
  return rate > 0 && rate < 10 ? `${rate.toFixed(1)}/s` : `${formatCount(Math.round(rate))}/s`;
}

function resumeText(waiting: number): string {
  return waiting === 0 ? "Resume" : `Show ${formatCount(waiting)} new`;
}
