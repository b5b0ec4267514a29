import type { Dashboard } from "../api/types";
import { type FakeApi, installFakeApi, problem, searchPage } from "./fakeApi";
import { sampleLog } from "./sampleLog";

/** Id of the dashboard that the fake API has. */
export const DASHBOARD_ID = "0123456789ab";
export const LOGS = "aaaaaaaaaaaa";
export const NUMBERS = "bbbbbbbbbbbb";
/** Id of a view that the tenant no longer has. */
export const DELETED = "cccccccccccc";
const CHANGED = { revision: 1, created_at: "", created_by: "", changed_at: "", changed_by: "" };
const VIEW = { folder: "", start: "now-7d", end: "now", order: "desc", columns: [], chart_by: null };
/** Views of the fake API: one of logs, one of numbers. */
export const VIEWS = [
  { ...VIEW, ...CHANGED, id: LOGS, name: "Timeouts", query: "timeout", chart_kind: null, is_default: false },
  {
    ...VIEW,
    ...CHANGED,
    id: NUMBERS,
    name: "Errors",
    query: "error | stats count()",
    chart_kind: "table",
    is_default: false,
  },
];
export const panel = (view: string, title = "") => ({ view, title, width: 1, height: 1 });

/** Returns a stored dashboard, without the views of its panels, with the members that a test sets. */
export function sampleDashboard(changes: Partial<Dashboard> = {}): Dashboard {
  const range = { start: "now-6h", end: "now", refresh_seconds: 60 };
  return { ...CHANGED, ...range, id: DASHBOARD_ID, name: "Shop", panels: [panel(LOGS)], ...changes };
}

/** Replaces fetch by a server that has one dashboard with these panels. Its numbers exceed a limit. */
export function fakeDashboard(panels = [panel(LOGS), panel(NUMBERS, "Failed"), panel(DELETED)]): FakeApi {
  const api = installFakeApi();
  const dashboard = sampleDashboard({ panels });
  api.on(/dashboards$/, () => ({ body: { dashboards: [dashboard] } }));
  api.on(/dashboards\/\w+$/, () => ({ body: { ...dashboard, views: VIEWS } }));
  api.on(/search$/, () => searchPage([sampleLog()]));
  api.on(/stats$/, () => problem(400, "query_too_expensive", "reads too much"));
  return api;
}
