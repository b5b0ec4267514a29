import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Usage } from "../../api/types";
import { formatBytes, formatCount } from "../../format/quantity";
import { useSession } from "../../session/SessionContext";
import { testIds } from "../../testIds";
import { fromMilliseconds } from "../../time/nanoseconds";
import { nowMs } from "../../time/serverClock";
import { Button } from "../../ui/Button";
import { LoadProblem } from "../../ui/section/LoadProblem";
import { PageSection } from "../../ui/section/PageSection";
import { ScrolledTable } from "../../ui/section/ScrolledTable";
import styles from "../../ui/section/Section.module.css";
import { outcomeAdvice, outcomeTitle } from "./outcomes";
import { UsageChart } from "./UsageChart";
import { firstDay, inOrder, type Measure, usageDays } from "./usageDays";

const RANGES = [7, 30, 90] as const;
const MEASURES: readonly (readonly [Measure, string])[] = [
  ["bytes", "Bytes"],
  ["records", "Records"],
  ["requests", "Requests"],
];

const HEADS = ["Outcome", "Records", "Requests", "Bytes", "What it means"];
const NUMBERS = ["Records", "Requests", "Bytes"];

/** Shows the amount that the tenant sent by day, the refused part, and the reasons. Needs no admin key. */
export function UsageSection() {
  const { api, tenant } = useSession();
  const [days, setDays] = useState<number>(30);
  const [measure, setMeasure] = useState<Measure>("bytes");
  const usage = useQuery({
    queryKey: ["usage", tenant, days],
    queryFn: async ({ signal }) => {
      const now = nowMs();
      const startMs = firstDay(now, days);
      const range = { start: fromMilliseconds(startMs), end: fromMilliseconds(now) };
      // The days travel with their counts: the answer of the range before stays while another range is read.
      return { startMs, days, answer: await api.usage(range, "day", signal) };
    },
    staleTime: 0,
    placeholderData: (previous) => previous,
  });
  const { data } = usage;
  return (
    <PageSection
      title="Usage"
      controls={
        <div className={styles.actions}>
          {MEASURES.map(([id, name]) => (
            <Button key={id} size="small" pressed={measure === id} onClick={() => setMeasure(id)}>
              {name}
            </Button>
          ))}
          <span aria-hidden="true">·</span>
          {RANGES.map((each) => (
            <Button key={each} size="small" pressed={days === each} onClick={() => setDays(each)}>
              {each} days
            </Button>
          ))}
        </div>
      }
    >
      <p className={styles.text}>
        By UTC day of arrival. Requests with a wrong key belong to no tenant and are not counted.
      </p>
      <LoadProblem of={usage} />
      {data !== undefined && (
        <>
          <UsageChart
            days={usageDays(data.answer.usage, measure, data.startMs, data.days)}
            measure={measure}
          />
          <OutcomeTable totals={data.answer.totals} />
        </>
      )}
    </PageSection>
  );
}

function OutcomeTable({ totals }: { totals: Usage["totals"] }) {
  if (totals.length === 0) return <p className={styles.empty}>Nothing was sent on these days.</p>;
  return (
    <ScrolledTable label="Accepted and refused" heads={HEADS} numbers={NUMBERS} isStacked>
      {inOrder(totals).map(({ outcome, records, requests, bytes }) => (
        <tr key={outcome} data-testid={testIds.usageOutcome}>
          <th scope="row" className={styles.nowrap}>
            {outcomeTitle(outcome)}
          </th>
          <td data-align="right" data-head="Records">
            {formatCount(records)}
          </td>
          <td data-align="right" data-head="Requests">
            {formatCount(requests)}
          </td>
          <td data-align="right" data-head="Bytes">
            {formatBytes(bytes)}
          </td>
          <td className={styles.sentence} data-head="What it means">
            {outcomeAdvice(outcome)}
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}
