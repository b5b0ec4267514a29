import { expect, it } from "vitest";
import type { Dashboard } from "../api/types";
import { parseSearchText } from "../url/searchState";
import { dashboardLink, decodeDashboardSearch, shownTime } from "./dashboardSearch";

const STORED: Dashboard = {
  id: "0123456789ab",
  name: "Shop",
  start: "now-6h",
  end: "now",
  refresh_seconds: 60,
  panels: [],
  revision: 1,
  created_at: "2026-11-23T10:00:00Z",
  created_by: "key 1",
  changed_at: "2026-11-23T10:00:00Z",
  changed_by: "key 1",
};

it("shows the dashboard's own range and interval where the address has none", () => {
  expect(shownTime({}, STORED)).toEqual({ from: "now-6h", to: "now", refresh: "1m" });
});

it("shows what the address has, also no interval", () => {
  const search = decodeDashboardSearch({ from: "now-7d", to: "now-1d" });
  expect(shownTime(search, STORED)).toEqual({ from: "now-7d", to: "now-1d", refresh: null });
  expect(decodeDashboardSearch({ from: "now-1h", to: "now", refresh: "5m" }).refresh).toBe("5m");
});

it.each([
  {},
  { from: "now-1h" },
  { to: "now" },
  { from: "soon", to: "now" },
  { refresh: "10s" },
  { from: 1, to: 2 },
])("leaves the range to the dashboard for %j", (raw) => {
  expect(decodeDashboardSearch(raw)).toEqual({});
});

it("links to the dashboard with fixed times", () => {
  const window = { start: 1_790_000_000_000_000_000n, end: 1_790_000_600_000_000_000n };
  const link = new URL(dashboardLink("http://logs.example/dashboards/x?from=now-1h", STORED.id, window));
  expect(link.pathname).toBe("/dashboards/0123456789ab");
  expect(decodeDashboardSearch(parseSearchText(link.search))).toEqual({
    from: "2026-09-21T14:13:20Z",
    to: "2026-09-21T14:23:20Z",
    refresh: null,
  });
  expect(dashboardLink("http://logs.example/?query=a", STORED.id, null)).toBe(
    "http://logs.example/dashboards/0123456789ab",
  );
});
