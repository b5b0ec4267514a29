// @vitest-environment jsdom
import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { stubZone } from "../testing/stubZone";
import type { TimeZoneChoice } from "../time/format";
import { parseRfc3339 } from "../time/nanoseconds";
import type { TimeRange } from "../time/timeExpression";
import { AbsoluteForm } from "./AbsoluteForm";

const at = (text: string) => parseRfc3339(text) ?? 0n;

/** Opens the form with a range. Returns the ranges that it applies. */
function open({ from, to }: TimeRange, zone: TimeZoneChoice): TimeRange[] {
  const applied: TimeRange[] = [];
  const window = { start: at(from), end: at(to) };
  render(<AbsoluteForm window={window} zone={zone} onApply={(range) => applied.push(range)} />);
  return applied;
}

const apply = () => userEvent.click(screen.getByTestId(testIds.absoluteApply));

it.each([
  ["an end within a second", "2026-11-21T10:00:00Z", "2026-11-21T10:15:42.789Z"],
  ["a range within a second", "2026-11-21T10:15:42.000000001Z", "2026-11-21T10:15:42.000000002Z"],
])("keeps %s that was not changed", async (_, from, to) => {
  const applied = open({ from, to }, "utc");
  await apply();
  expect(applied).toEqual([{ from, to }]);
});

it("keeps the exact end when only the start is changed", async () => {
  const to = "2026-11-21T10:15:42.789Z";
  const applied = open({ from: "2026-11-21T10:00:00.5Z", to }, "utc");
  fireEvent.change(screen.getByTestId(testIds.absoluteFrom), { target: { value: "2026-11-21T09:30:00" } });
  await apply();
  expect(applied).toEqual([{ from: "2026-11-21T09:30:00Z", to }]);
});

it("names the offset from UTC at each entered time", () => {
  stubZone("Europe/Berlin");
  open({ from: "2026-07-01T10:00:00Z", to: "2026-12-01T10:00:00Z" }, "local");
  const label = (id: string) => screen.getByTestId(id).closest("label")?.textContent;
  expect(label(testIds.absoluteFrom)).toMatch(/^From \(.*UTC\+02:00\)$/);
  expect(label(testIds.absoluteTo)).toMatch(/^To \(.*UTC\+01:00\)$/);
  fireEvent.change(screen.getByTestId(testIds.absoluteFrom), { target: { value: "2026-01-31T09:30:00" } });
  expect(label(testIds.absoluteFrom)).toMatch(/UTC\+01:00\)$/);
});

it("keeps times in the hour that clocks show twice", async () => {
  stubZone("Europe/Berlin");
  const range = { from: "2026-10-25T01:30:00Z", to: "2026-10-25T01:45:00Z" };
  const applied = open(range, "local");
  expect(screen.getByTestId<HTMLInputElement>(testIds.absoluteFrom).value).toContain("2026-10-25T02:30");
  await apply();
  expect(applied).toEqual([range]);
});
