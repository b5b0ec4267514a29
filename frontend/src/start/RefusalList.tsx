import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount } from "../format/quantity";
import { useSession } from "../session/SessionContext";
import { outcomeAdvice, outcomeTitle } from "../settings/usage/outcomes";
import { fromMilliseconds, NS_PER_SECOND } from "../time/nanoseconds";
import { nowMs } from "../time/serverClock";
import styles from "./ArrivalCard.module.css";

/** Milliseconds between two requests for refusals. Receivers report refusals every 10 s. */
const POLL_MS = 10_000;

/** Lists the reasons why requests of this tenant were refused since the page was opened, with advice. */
export function RefusalList({ isWaiting }: { isWaiting: boolean }) {
  const { api } = useSession();
  const [start] = useState(() => fromMilliseconds(nowMs()));
  const { data } = useQuery({
    queryKey: ["refusals", start.toString()],
    queryFn: ({ signal }) =>
      api.usage({ start, end: fromMilliseconds(nowMs()) + NS_PER_SECOND }, "minute", signal),
    refetchInterval: isWaiting ? POLL_MS : false,
    gcTime: 0,
    retry: false,
  });
  const refused = data?.totals.filter(({ outcome }) => outcome !== "accepted") ?? [];
  if (refused.length === 0) return null;
  return (
    <div role="status">
      <p className={styles.text}>Refused since this page was opened:</p>
      <ul className={styles.advice}>
        {refused.map(({ outcome, requests, records }) => (
          <li key={outcome}>
            {outcomeTitle(outcome)} ({formatCount(records || requests)} {records > 0 ? "records" : "requests"}
            ). {outcomeAdvice(outcome)}
          </li>
        ))}
      </ul>
    </div>
  );
}
