import { expect, it } from "vitest";
import { choicesWith, readAlertForm } from "./alertForm";
import { alertGroupText, conditionText, secondsText, shownState } from "./alertText";

function formOf(changes: Record<string, string> = {}): FormData {
  const form = new FormData();
  const values = {
    name: " Errors ",
    query: "error | stats count()",
    column: "count()",
    comparison: ">",
    threshold: "5",
    for: "120",
    range: "300",
    interval: "60",
    severity: "critical",
    channel: "slack",
    destination: "https://hooks.example/1",
  };
  for (const [name, value] of Object.entries({ ...values, ...changes })) form.set(name, value);
  return form;
}

it("reads a rule from its form", () => {
  expect(readAlertForm(formOf(), null)).toEqual({
    name: "Errors",
    query: "error | stats count()",
    range_seconds: 300,
    interval_seconds: 60,
    condition: { column: "count()", comparison: ">", threshold: 5 },
    for_seconds: 120,
    severity: "critical",
    labels: {},
    channels: [{ kind: "slack", url: "https://hooks.example/1", headers: {}, recipients: [] }],
  });
});

it("reads destinations, no destinations, and those that stay", () => {
  const channels = (changes: Record<string, string>) => readAlertForm(formOf(changes), null).channels;
  expect(channels({ channel: "email", destination: "a@example.org, b@example.org" })).toEqual([
    { kind: "email", url: "", headers: {}, recipients: ["a@example.org", "b@example.org"] },
  ]);
  expect(channels({ channel: "none" })).toEqual([]);
  expect(channels({ channel: "stored" })).toBeNull();
});

it("has no threshold where data is missing", () => {
  expect(readAlertForm(formOf({ comparison: "no_data" }), null).condition.threshold).toBeNull();
});

it("does not call a rule ok before it was evaluated", () => {
  expect(shownState({ state: "ok", evaluated_at: null })).toEqual({
    name: "not evaluated yet",
    tone: undefined,
  });
  expect(shownState({ state: "ok", evaluated_at: "2026-11-21T01:02:03Z" }).name).toBe("ok");
  expect(shownState({ state: "error", evaluated_at: null }).name).toBe("error");
});

it("offers a length that was set over the API", () => {
  expect(choicesWith([60, 300], 90)).toEqual([60, 90, 300]);
  expect(choicesWith([60, 300], 60)).toEqual([60, 300]);
});

it.each([
  [300, "5 minutes"],
  [3_600, "1 hour"],
  [90, "90 seconds"],
  [172_800, "2 days"],
  [0, "0 seconds"],
])("writes %i seconds as %s", (seconds, text) => {
  expect(secondsText(seconds)).toBe(text);
});

it("says when a rule fires and for what", () => {
  const condition = { column: "p95(ms)", comparison: ">=", threshold: 0.5 } as const;
  expect(conditionText({ condition, for_seconds: 120 })).toBe("p95(ms) >= 0.5 for 2 minutes");
  const none = { column: "count()", comparison: "no_data", threshold: null } as const;
  expect(conditionText({ condition: none, for_seconds: 0 })).toBe("no data in count()");
  expect([alertGroupText(null), alertGroupText([]), alertGroupText(["web", null])]).toEqual([
    "the rule",
    "all logs",
    "web · no value",
  ]);
});
