import type { paths } from "./schema";

/**
 * JSON type of a path's 200 answer. Derived from the path, so that it stays the same when the backend renames a schema.
 */
type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

export type UiSession =
  paths["/api/v1/ui/session"]["post"]["responses"]["200"]["content"]["application/json"];
export type Tenant = Answer<"/api/v1/tenant">;
/** Newest first or oldest first. */
export type Order = NonNullable<
  NonNullable<paths["/api/v1/logs/search"]["get"]["parameters"]["query"]>["order"]
>;
export type SearchPage = Answer<"/api/v1/logs/search">;
export type Log = SearchPage["logs"][number];
export type SearchStats = SearchPage["stats"];
export type Context = Answer<"/api/v1/logs/{id}/context">;
export type HistogramAnswer = Answer<"/api/v1/logs/histogram">;
export type StatsAnswer = Answer<"/api/v1/logs/stats">;
export type StatsColumn = StatsAnswer["columns"][number];
/** Value of a function, or of a field. Very large integers and infinite numbers are text; null is no value. */
export type StatsCell = StatsAnswer["rows"][number][number];
export type PatternsAnswer = Answer<"/api/v1/logs/patterns">;
export type LogPattern = PatternsAnswer["patterns"][number];
export type Explanation = Answer<"/api/v1/logs/explain">;
export type IndexUse = Explanation["indexes"][number];
export type Analysis = NonNullable<Explanation["analysis"]>;
export type StatementAnalysis = Analysis["statements"][number];
export type Usage = Answer<"/api/v1/usage">;
export type AdminTenant = Answer<"/api/v1/admin/tenants/{name}">;
export type ChangedTenant =
  paths["/api/v1/admin/tenants/{name}"]["patch"]["responses"]["200"]["content"]["application/json"];
export type Limits = AdminTenant["limits"];
export type AdminKey = Answer<"/api/v1/admin/tenants/{name}/keys">["keys"][number];
export type KeyPurpose = AdminKey["purpose"];
export type CreatedKey =
  paths["/api/v1/admin/tenants/{name}/keys"]["post"]["responses"]["201"]["content"]["application/json"];
export type AttributeRule = Answer<"/api/v1/admin/tenants/{name}/attribute-rules">["rules"][number];
export type BodyRedaction = Answer<"/api/v1/admin/tenants/{name}/body-redactions">["redactions"][number];
export type StorageReport = Answer<"/api/v1/admin/storage">;
export type TenantStorage = StorageReport["tenants"][number];
export type AuditPage = Answer<"/api/v1/admin/audit">;
export type AuditEntry = AuditPage["entries"][number];
export type View = Answer<"/api/v1/views/{id}">;
export type ListedView = Answer<"/api/v1/views">["views"][number];
export type Dashboard = Answer<"/api/v1/dashboards">["dashboards"][number];
export type DashboardPanel = Dashboard["panels"][number];
/** A dashboard with the views of its panels. A view that was deleted is missing. */
export type OpenedDashboard = Answer<"/api/v1/dashboards/{id}">;
/** Everything of a dashboard that users choose. */
export type DashboardMembers = Pick<Dashboard, "name" | "start" | "end" | "refresh_seconds" | "panels">;
export type Alert = Answer<"/api/v1/alerts">["alerts"][number];
export type AlertState = Alert["state"];
export type AlertStatus = Answer<"/api/v1/alerts/{id}">;
export type AlertHistory = Answer<"/api/v1/alerts/{id}/history">;
/** Everything of an alert rule that users choose. If `channels` is null, the rule keeps its stored channels. */
export type AlertMembers = Omit<
  paths["/api/v1/alerts/{id}"]["put"]["requestBody"]["content"]["application/json"],
  "revision"
>;
export type FieldList = Answer<"/api/v1/logs/fields">;
export type FieldCount = FieldList["fields"][number];
export type FieldValues = Answer<"/api/v1/logs/fields/{name}/values">;
