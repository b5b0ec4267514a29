import { expect, it } from "vitest";
import { previewQuery, previewWindow } from "./previewStats";

it.each([
  ["error | stats count()", "error | stats count() by time(300s)"],
  ["| stats count() by service", "| stats count() by service, time(300s)"],
  [
    "error | stats p95(ms) by service | sort p95(ms) | limit 5",
    "error | stats p95(ms) by service, time(300s) | sort p95(ms) | limit 5",
  ],
  [
    '| stats count_if("a | by b" OR /x|y/) by "odd | name"',
    '| stats count_if("a | by b" OR /x|y/) by "odd | name", time(300s)',
  ],
  [
    "| stats count_if(/connect\\(/) by http/path | limit 5",
    "| stats count_if(/connect\\(/) by http/path, time(300s) | limit 5",
  ],
  [
    "| stats count_if(web OR body:/\\)|/) | limit 5",
    "| stats count_if(web OR body:/\\)|/) by time(300s) | limit 5",
  ],
  ["| stats count() | limit 1", "| stats count() by time(300s) | limit 1"],
  ['| stats count()by"a"', '| stats count()by"a", time(300s)'],
  ["error", null],
  ["error | stats", null],
])("computes %j over time", (query, expected) => {
  expect(previewQuery(query, 300)).toBe(expected);
});

it.each([
  [10, 180 * 10],
  [60, 3 * 3_600],
  [300, 4 * 3_600],
  [86_400, 48 * 86_400],
])("shows whole buckets of %i seconds", (range, seconds) => {
  const now = 1_790_000_123_456_789_012n;
  const { start, end } = previewWindow(range, now);
  expect(end % (BigInt(range) * 1_000_000_000n)).toBe(0n);
  expect(end <= now && now - end < BigInt(range) * 1_000_000_000n).toBe(true);
  expect(end - start).toBe(BigInt(seconds) * 1_000_000_000n);
});
