import type { Alert, AlertState } from "../api/types";
import { cellText } from "../chart/cellText";
import { valueText } from "../chart/statsRows";
import { plural } from "../format/quantity";
import { nowMs } from "../time/serverClock";
import { relativeRange, type TimeRange } from "../time/timeExpression";

/** A state as the page shows it. `tone` is the colour tone of its badge; undefined for a badge without colour. */
export interface ShownState {
  readonly name: string;
  readonly tone: "good" | "bad" | undefined;
}

const STATES: Record<AlertState, ShownState> = {
  ok: { name: "ok", tone: "good" },
  pending: { name: "pending", tone: undefined },
  firing: { name: "firing", tone: "bad" },
  no_data: { name: "no data", tone: undefined },
  error: { name: "error", tone: "bad" },
};

/** Returns the state to show for a rule. The API gives `ok` for a rule that was not evaluated yet. */
export function shownState({ state, evaluated_at }: Pick<Alert, "state" | "evaluated_at">): ShownState {
  const isUnknown = state === "ok" && evaluated_at === null;
  return isUnknown ? { name: "not evaluated yet", tone: undefined } : STATES[state];
}

const UNITS: readonly (readonly [noun: string, seconds: number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** Writes seconds in the largest unit that leaves no remainder: 300 as "5 minutes", 90 as "90 seconds". */
export function secondsText(seconds: number): string {
  const [noun, size] = unitOf(seconds);
  return plural(seconds / size, noun);
}

function unitOf(seconds: number): readonly [noun: string, seconds: number] {
  return UNITS.find(([, each]) => seconds % each === 0 && seconds >= each) ?? ["second", 1];
}

/** Returns the range of this length that ends now, in the largest unit that leaves no remainder: "now-5m" for 300. */
export function rangeOfSeconds(seconds: number): TimeRange {
  const [noun, size] = unitOf(seconds);
  return relativeRange(`${seconds / size}${noun.charAt(0)}`);
}

/** Writes when a rule fires: "count() > 5 for 2 minutes". */
export function conditionText({ condition, for_seconds }: Pick<Alert, "condition" | "for_seconds">): string {
  const { column, comparison, threshold } = condition;
  const holds =
    comparison === "no_data" ? `no data in ${column}` : `${column} ${comparison} ${cellText(threshold)}`;
  return for_seconds === 0 ? holds : `${holds} for ${secondsText(for_seconds)}`;
}

/**
 * Returns the time at which the mute of a rule ends; null for a rule that is not muted. The API keeps the
 * time of a mute that has ended.
 */
export function muteEnd({ muted_until: until }: Pick<Alert, "muted_until">): string | null {
  return until !== null && Date.parse(until) > nowMs() ? until : null;
}

/** Writes the values of a group. Writes "the rule" for null, which stands for a change of the rule itself. */
export function alertGroupText(group: readonly (string | null)[] | null): string {
  if (group === null) return "the rule";
  return group.length === 0 ? "all logs" : group.map((value) => valueText(value, "value")).join(" · ");
}
