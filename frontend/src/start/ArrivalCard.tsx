import { Link } from "@tanstack/react-router";
import { sentence } from "../api/problem";
import type { Log } from "../api/types";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { LoggedText } from "../text/LoggedText";
import { shownRowTime } from "../time/shownTime";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { DEFAULT_STATE } from "../url/searchState";
import styles from "./ArrivalCard.module.css";
import { RefusalList } from "./RefusalList";
import { useArrival } from "./useArrival";

/** Shows if a log has arrived since the page was opened, and the log itself. */
export function ArrivalCard() {
  const { arrival, problem, watchAgain } = useArrival();
  const { kind } = arrival;
  const isReceived = kind === "received";
  return (
    <div className={styles.card} data-state={kind} data-testid={testIds.arrival}>
      <p className={styles.state} role="status">
        {isReceived ? <Icon name="check" size={16} /> : <span className={styles.dot} />}
        {isReceived && (arrival.log !== null && arrival.isFirst ? "First log received" : "New log received")}
        {kind === "starting" && "Looking for logs…"}
        {kind === "waiting" &&
          (arrival.newest === null ? "Waiting for the first log…" : "Waiting for a new log…")}
        {kind === "ended" && "No new log in 10 minutes"}
      </p>
      {isReceived && arrival.log !== null && <LogSummary log={arrival.log} />}
      {isReceived && arrival.log === null && (
        <p className={styles.text}>
          The log arrived, but its timestamp is older than that of the newest log. “Open Search” searches the
          tenant's whole retention, where the log is at its timestamp.
        </p>
      )}
      {kind === "waiting" && arrival.newest !== null && (
        <>
          <p className={styles.text}>This tenant has logs. The newest one:</p>
          <LogSummary log={arrival.newest} />
        </>
      )}
      {kind === "waiting" && arrival.isLong && (
        <p className={styles.text} role="status">
          Nothing has arrived yet: check the key, the address and the program's output.
        </p>
      )}
      {kind === "waiting" && (
        <p className={styles.text}>While it is visible, the page checks every few seconds, for 10 minutes.</p>
      )}
      {problem !== null && !isReceived && (
        <p className={styles.text}>The last check failed: {sentence(problem.message)}</p>
      )}
      {(kind === "waiting" || kind === "ended") && <RefusalList isWaiting={kind === "waiting"} />}
      {kind === "ended" && <Advice />}
      <div className={styles.actions}>
        {isReceived && (
          <Link
            to="/"
            search={
              arrival.log === null
                ? { ...DEFAULT_STATE, from: `now-${arrival.days}d` }
                : { ...DEFAULT_STATE, record: arrival.log.id }
            }
            className={styles.open}
            data-testid={testIds.arrivalOpen}
          >
            {arrival.log === null ? "Open Search" : "Open it in Search"}
          </Link>
        )}
        {(isReceived || kind === "ended") && (
          <Button onClick={watchAgain} data-testid={testIds.watchAgain}>
            {isReceived ? "Wait for another log" : "Wait again"}
          </Button>
        )}
      </div>
    </div>
  );
}

function LogSummary({ log }: { log: Log }) {
  const { zone } = usePreferences();
  return (
    <div className={styles.log}>
      <p className={styles.meta}>
        {shownRowTime(log.timestamp, zone)} ·{" "}
        {log.service === "" ? "no service" : <LoggedText text={log.service} isOneLine />}
      </p>
      <p className={styles.body}>
        <LoggedText text={log.body.slice(0, 300).toWellFormed()} />
      </p>
    </div>
  );
}

function Advice() {
  return (
    <ul className={styles.advice}>
      <li>401 means that the key is wrong. 403 means that the key is not an ingest key.</li>
      <li>
        If the program cannot connect, the address is wrong, or a firewall is between the program and the
        receiver.
      </li>
      <li>A program that exits right after logging must shut down the SDK first, as the snippets do.</li>
    </ul>
  );
}
