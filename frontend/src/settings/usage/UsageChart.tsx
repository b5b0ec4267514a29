import { useState } from "react";
import { formatBytes, formatCompact, formatCount } from "../../format/quantity";
import { testIds } from "../../testIds";
import styles from "./UsageChart.module.css";
import { axisEnd, type Measure, type UsageDay } from "./usageDays";

interface UsageChartProps {
  readonly days: readonly UsageDay[];
  readonly measure: Measure;
}

/** Chart with a bar for each day: accepted below, refused on top. A table has the same numbers for screen readers. */
export function UsageChart({ days, measure }: UsageChartProps) {
  const [pointed, setPointed] = useState<UsageDay | null>(null);
  const end = axisEnd(days);
  const precise = measure === "bytes" ? formatBytes : formatCount;
  const short = measure === "bytes" ? formatBytes : formatCompact;
  const share = (value: number) => `${(value / end) * 100}%`;
  return (
    <div className={styles.chart} data-testid={testIds.usageChart}>
      <p className={styles.said} aria-hidden="true">
        {pointed === null ? (
          <Legend />
        ) : (
          <>
            <b>{pointed.day}</b> {precise(pointed.accepted)} accepted, {precise(pointed.refused)} refused
          </>
        )}
      </p>
      <div className={styles.plot} aria-hidden="true">
        <div className={styles.axis}>
          <span>{short(end)}</span>
          <span>{short(end / 2)}</span>
          <span>0</span>
        </div>
        <div className={styles.bars} onPointerLeave={() => setPointed(null)}>
          {days.map((each) => (
            <div key={each.day} className={styles.day} onPointerEnter={() => setPointed(each)}>
              <div className={styles.refused} style={{ height: share(each.refused) }} />
              <div className={styles.accepted} style={{ height: share(each.accepted) }} />
            </div>
          ))}
        </div>
        <div className={styles.edges}>
          <span>{days[0]?.day}</span>
          <span>{days.at(-1)?.day} (today)</span>
        </div>
      </div>
      <DayTable days={days} precise={precise} measure={measure} />
    </div>
  );
}

function Legend() {
  return (
    <>
      <i className={styles.accepted} /> Accepted <i className={styles.refused} /> Refused
    </>
  );
}

interface DayTableProps extends UsageChartProps {
  readonly precise: (value: number) => string;
}

function DayTable({ days, precise, measure }: DayTableProps) {
  return (
    <table className="visually-hidden">
      <caption>Usage by day in {measure}</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Accepted</th>
          <th scope="col">Refused</th>
        </tr>
      </thead>
      <tbody>
        {days
          .filter(({ accepted, refused }) => accepted + refused > 0)
          .map(({ day, accepted, refused }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>{precise(accepted)}</td>
              <td>{precise(refused)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
