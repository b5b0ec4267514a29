import { Link, useLocation, useParams } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import { asProblem } from "../api/problem";
import type { Log } from "../api/types";
import { formatCount, plural } from "../format/quantity";
import { Page } from "../layout/Page";
import { usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { visibleText } from "../text/signs";
import { formatFullTime } from "../time/format";
import { Button, buttonClass } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Failure } from "../ui/Failure";
import { Icon } from "../ui/Icon";
import { useRoving } from "../ui/useRoving";
import type { SearchState } from "../url/searchState";
import { serviceColours } from "./serviceColours";
import styles from "./TracePage.module.css";
import { TraceRow } from "./TraceRow";
import { formatOffset, type TraceExtent } from "./timeline";
import { traceSearch } from "./traceSearch";
import { useTrace } from "./useTrace";

/**
 * Shows the logs of a trace on its time axis, oldest first, in pages that a button loads. Searches the tenant's whole
 * retention.
 */
export function TracePage() {
  const { traceId } = useParams({ from: "/trace/$traceId" });
  const { pages, logs, whole, extent, count, error } = useTrace(traceId);
  const openedFrom = useLocation({ select: ({ state }) => state.openedFrom });
  return (
    <Page title={`Trace ${visibleText(traceId)}`} isWide data-testid={testIds.trace}>
      {openedFrom !== undefined && <BackToSearch search={openedFrom} />}
      {whole !== null && <Summary traceId={traceId} count={count} extent={whole} />}
      {error !== null && <Failure problem={asProblem(error)} />}
      {error === null && pages.isPending && <p className={styles.note}>Loading the logs of this trace…</p>}
      {pages.isSuccess && logs.length === 0 && (
        <p className={styles.note}>
          No log has this trace id. Logs are deleted when the tenant's retention is over; check the id if they
          should be there.
        </p>
      )}
      {extent !== null && <TraceRows logs={logs} traceId={traceId} extent={extent} />}
      {pages.isFetchNextPageError && <Failure problem={asProblem(pages.error)} />}
      {pages.hasNextPage && (
        <div className={styles.more}>
          <Button
            disabled={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
            data-testid={testIds.traceMore}
          >
            {pages.isFetchingNextPage ? "Loading…" : "Show more logs"}
          </Button>
          <span>
            {formatCount(logs.length)} {count !== null && `of ${formatCount(count)} `}are shown
          </span>
        </div>
      )}
    </Page>
  );
}

/** Leads back to the search in which the trace was opened, with its open record. */
function BackToSearch({ search }: { search: SearchState }) {
  return (
    <Link to="/" search={search} className={styles.back} data-testid={testIds.traceBack}>
      <Icon name="left" />
      Back to the search
    </Link>
  );
}

interface SummaryProps {
  readonly traceId: string;
  /** Number of all logs; null until it is known. */
  readonly count: number | null;
  readonly extent: TraceExtent;
}

function Summary({ traceId, count, extent }: SummaryProps) {
  const { zone } = usePreferences();
  return (
    <div className={styles.summary}>
      <p data-testid={testIds.traceSummary}>
        {count === null ? "Logs" : plural(count, "log")} in {formatOffset(extent.last - extent.first)}, from{" "}
        {formatFullTime(extent.first, zone)}
      </p>
      <Link
        to="/"
        search={traceSearch(traceId, extent)}
        className={buttonClass()}
        data-testid={testIds.traceSearch}
      >
        <Icon name="search" />
        Search in this trace
      </Link>
      <CopyButton
        label="Copy a link to this trace"
        caption="Share"
        icon="link"
        text={() => window.location.href}
      />
    </div>
  );
}

interface TraceRowsProps {
  readonly logs: readonly Log[];
  readonly traceId: string;
  readonly extent: TraceExtent;
}

function TraceRows({ logs, traceId, extent }: TraceRowsProps) {
  const colours = useMemo(() => serviceColours(logs.map(({ service }) => service)), [logs]);
  const list = useRef<HTMLOListElement>(null);
  useRoving(list);
  return (
    <ol ref={list} className={styles.rows} aria-label="Logs of this trace">
      {logs.map((log) => (
        <TraceRow
          key={log.id}
          log={log}
          traceId={traceId}
          extent={extent}
          colour={colours.get(log.service) ?? 0}
        />
      ))}
    </ol>
  );
}
