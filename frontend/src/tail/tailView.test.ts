import { expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { arrived, EMPTY_VIEW, MAX_ROWS } from "./tailView";

const logs = (...ids: string[]) => ids.map((id) => sampleLog({ id }));
const ids = (shown: readonly { readonly id: string }[]) => shown.map(({ id }) => id);

it("puts the newest on top", () => {
  const view = arrived(arrived(EMPTY_VIEW, logs("1", "2"), false), logs("3"), false);
  expect(ids(view.rows)).toEqual(["3", "2", "1"]);
});

it("lets what arrives in a pause wait, and then shows it in order", () => {
  const paused = arrived(
    arrived(arrived(EMPTY_VIEW, logs("1"), false), logs("2", "3"), true),
    logs("4"),
    true,
  );
  expect(ids(paused.rows)).toEqual(["1"]);
  expect(paused.waitingCount).toBe(3);
  const resumed = arrived(paused, [], false);
  expect(ids(resumed.rows)).toEqual(["4", "3", "2", "1"]);
  expect(resumed.waitingCount).toBe(0);
});

it("keeps so many rows and no more, but counts all that wait", () => {
  const many = logs(...Array.from({ length: MAX_ROWS + 5 }, (_, number) => `${number}`));
  const paused = arrived(arrived(EMPTY_VIEW, many, false), many, true);
  expect([paused.rows.length, paused.waiting.length, paused.waitingCount]).toEqual([
    MAX_ROWS,
    MAX_ROWS,
    MAX_ROWS + 5,
  ]);
  expect(paused.rows[0]?.id).toBe(`${MAX_ROWS + 4}`);
});

it("is the same view when nothing happened", () => {
  const view = arrived(EMPTY_VIEW, logs("1"), false);
  expect(arrived(view, [], false)).toBe(view);
  expect(arrived(view, [], true)).toBe(view);
});
