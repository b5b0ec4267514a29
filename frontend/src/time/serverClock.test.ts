import { afterEach, expect, it, vi } from "vitest";
import { compareClocks, nowMs, onClockJump } from "./serverClock";

const NOW = Date.UTC(2026, 10, 21, 1, 2, 3);

/** Takes an answer from a server whose clock is `aheadMs` ahead. The request was sent `tookMs` ago. */
function receive(aheadMs: number, tookMs = 100) {
  vi.setSystemTime(NOW);
  compareClocks(new Date(NOW + aheadMs).toUTCString(), NOW - tookMs);
}

const ahead = () => nowMs() - Date.now();

vi.useFakeTimers();
afterEach(() => receive(0));

it.each([
  ["slow", 600_000],
  ["fast", -600_000],
])("follows the server's clock while the browser's is %s", (_, aheadMs) => {
  receive(aheadMs);
  expect(Math.abs(ahead() - aheadMs)).toBeLessThan(2_000);
  receive(0);
  expect(ahead()).toBe(0);
});

it("keeps the browser's time if the difference may come from the answer", () => {
  for (const [aheadMs, tookMs] of [
    [20_000, 100],
    [-20_000, 100],
    [-120_000, 150_000],
  ] as const) {
    receive(aheadMs, tookMs);
    expect(ahead()).toBe(0);
  }
  compareClocks(null, NOW);
  compareClocks("no date", NOW);
  expect(ahead()).toBe(0);
});

it("jumps once while answers agree", () => {
  const jumped = vi.fn();
  const end = onClockJump(jumped);
  for (const aheadMs of [600_000, 605_000, 590_000]) receive(aheadMs);
  expect(jumped).toHaveBeenCalledTimes(1);
  end();
});
