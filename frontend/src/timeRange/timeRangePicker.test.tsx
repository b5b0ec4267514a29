// @vitest-environment jsdom
import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { testIds } from "../testIds";
import { stubResizeObserver } from "../testing/stubResizeObserver";
import { stubZone } from "../testing/stubZone";
import { parseRfc3339 } from "../time/nanoseconds";
import type { TimeRange } from "../time/timeExpression";
import { TimeRangePicker } from "./TimeRangePicker";

it("keeps typed times when the zone is changed, and shows the other times in the new zone", async () => {
  stubZone("Europe/Berlin");
  stubResizeObserver();
  const user = userEvent.setup();
  const range = { from: "2026-11-21T10:00:00Z", to: "2026-11-21T12:00:00.5Z" };
  const window = { start: parseRfc3339(range.from) ?? 0n, end: parseRfc3339(range.to) ?? 0n };
  const applied: TimeRange[] = [];
  render(<TimeRangePicker range={range} window={window} onChange={(next) => applied.push(next)} />);
  await user.click(screen.getByTestId(testIds.timeRange));
  const field = (id: string) => screen.getByTestId<HTMLInputElement>(id);
  fireEvent.change(field(testIds.absoluteFrom), { target: { value: "2026-11-21T09:30:00" } });
  await user.type(field(testIds.relativeInput), "last 90m");
  expect(field(testIds.absoluteTo).value).toContain("2026-11-21T13:00");

  await user.click(screen.getByRole("button", { name: "UTC" }));
  expect(field(testIds.relativeInput).value).toBe("last 90m");
  expect(field(testIds.absoluteFrom).value).toContain("2026-11-21T09:30");
  expect(field(testIds.absoluteTo).value).toContain("2026-11-21T12:00");
  await user.click(field(testIds.absoluteApply));
  expect(applied).toEqual([{ from: "2026-11-21T09:30:00Z", to: range.to }]);
});
