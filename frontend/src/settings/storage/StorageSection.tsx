import { useQuery } from "@tanstack/react-query";
import type { StorageReport, TenantStorage } from "../../api/types";
import { formatBytes } from "../../format/quantity";
import { usePreferences } from "../../preferences/preferences";
import { ADMIN_QUERIES } from "../../session/adminKey";
import { testIds } from "../../testIds";
import { shownSecond } from "../../time/shownTime";
import { LoadProblem } from "../../ui/section/LoadProblem";
import { PageSection } from "../../ui/section/PageSection";
import { ScrolledTable } from "../../ui/section/ScrolledTable";
import styles from "../../ui/section/Section.module.css";
import { useAdmin } from "../useAdmin";

const REFRESH_MS = 60_000;

const TENANT_HEADS = [
  "Tenant",
  "Stored",
  "Fair share",
  "Per day",
  "Oldest day",
  "First day kept",
  "Will be removed next",
];
const TENANT_NUMBERS = ["Stored", "Fair share", "Per day"];
const VOLUME_HEADS = ["Server", "Used", "Size", "Logs", "Target exceeded on"];
const VOLUME_NUMBERS = ["Used", "Size", "Logs"];

/** Shows disk use, fair shares, and the days that are removed next. Operators see all tenants and servers. */
export function StorageSection() {
  const { api, tenant } = useAdmin();
  const { zone } = usePreferences();
  const storage = useQuery({
    queryKey: [ADMIN_QUERIES, "storage", tenant.name],
    queryFn: ({ signal }) => api.storage(signal),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });
  const { data } = storage;
  return (
    <PageSection title="Storage">
      <p className={styles.text}>
        When a disk is fuller than its target, tenants that exceed their fair share lose their oldest days.
        Days begin at 00:00 UTC. Predictions cover 30 days and assume that each tenant stores the number of
        bytes in column &quot;Per day&quot;.
      </p>
      <LoadProblem of={storage} />
      {data !== undefined && data.examined_at === null && (
        <p className={styles.empty}>
          No loader has examined the disks yet. This page shows them after a loader's next check.
        </p>
      )}
      {data !== undefined && data.examined_at !== null && (
        <>
          {data.volumes.length > 0 && <VolumeTable report={data} />}
          <TenantTable tenants={data.tenants} />
          <p className={styles.text}>
            The target is {data.target_percent} % of a disk. A tenant always keeps its newest days, today
            included, and usually at least {formatBytes(data.guaranteed_bytes ?? 0)} on the full shard: only a
            day that is larger than the tenant's whole fair share can be removed below that. Sizes are
            estimates of bytes on disk, from {shownSecond(data.examined_at, zone)}.
          </p>
        </>
      )}
    </PageSection>
  );
}

function TenantTable({ tenants }: { tenants: readonly TenantStorage[] }) {
  return (
    <ScrolledTable label="Storage of tenants" heads={TENANT_HEADS} numbers={TENANT_NUMBERS} isStacked>
      {tenants.map((each) => (
        <tr key={each.tenant} data-testid={testIds.storageTenant}>
          <th scope="row">{each.tenant}</th>
          <td data-align="right" data-head="Stored">
            {formatBytes(each.stored_bytes)}
          </td>
          <td data-align="right" data-head="Fair share">
            {formatBytes(each.share_bytes)}
          </td>
          <td data-align="right" data-head="Per day">
            {formatBytes(each.daily_bytes)}
          </td>
          <td className={styles.nowrap} data-head="Oldest day">
            {each.oldest_day ?? "none"}
          </td>
          <td className={styles.nowrap} data-head="First day kept">
            {each.kept_from ?? "by retention"}
          </td>
          <td className={styles.sentence} data-head="Will be removed next">
            {lossText(each)}
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}

function VolumeTable({ report }: { report: StorageReport }) {
  return (
    <ScrolledTable label="Disks of servers" heads={VOLUME_HEADS} numbers={VOLUME_NUMBERS} isStacked>
      {report.volumes.map((each) => (
        <tr key={each.server} data-testid={testIds.storageVolume}>
          <th scope="row">{each.server}</th>
          <td data-align="right" data-head="Used">
            {each.total_bytes ? `${each.used_percent} %` : "unknown"}
          </td>
          <td data-align="right" data-head="Size">
            {each.total_bytes ? formatBytes(each.total_bytes) : "no limit"}
          </td>
          <td data-align="right" data-head="Logs">
            {formatBytes(each.log_bytes)}
          </td>
          <td data-head="Target exceeded on">{targetText(each.target_reached_on, each.over_bytes)}</td>
        </tr>
      ))}
    </ScrolledTable>
  );
}

function lossText({ predicted_loss: loss }: TenantStorage): string {
  if (loss === null) return "nothing";
  const days = loss.first_day === loss.last_day ? loss.first_day : `${loss.first_day} to ${loss.last_day}`;
  return `${days} (${formatBytes(loss.bytes)}) on ${loss.on}`;
}

function targetText(reachedOn: string | null, over: number): string {
  if (over > 0)
    return `now; ${formatBytes(over)} above the target cannot be freed, because no tenant may lose more days: add disk space`;
  return reachedOn ?? "not within 30 days";
}
