import type { Alert, AlertMembers } from "../api/types";
import { trimQuery } from "../language/tokenize";

/** Lengths of time to choose from in a rule's form, in seconds. */
export const RANGES = [60, 300, 900, 3_600, 21_600, 86_400] as const;
export const INTERVALS = [60, 300, 900, 3_600] as const;
export const HOLDS = [0, 60, 300, 900, 3_600] as const;
export const COMPARISONS = [">", ">=", "<", "<=", "==", "no_data"] as const;
export const SEVERITIES = ["info", "warning", "critical"] as const;
export const CHANNELS = [
  ["none", "no notices"],
  ["webhook", "a webhook"],
  ["slack", "Slack"],
  ["alertmanager", "Alertmanager's webhook format"],
  ["email", "e-mail"],
] as const;

type Channels = Exclude<AlertMembers["channels"], undefined>;
type Comparison = AlertMembers["condition"]["comparison"];
type ChannelKind = NonNullable<Channels>[number]["kind"];

/**
 * Returns the choices in ascending order. Adds the rule's own value if it is not among them, because it was set over
 * the API.
 */
export function choicesWith(choices: readonly number[], own: number | undefined): readonly number[] {
  return own === undefined || choices.includes(own) ? choices : [...choices, own].sort((a, b) => a - b);
}

/**
 * Returns the members of a rule as the form has them. If the destination is empty, the rule keeps its stored channels.
 * Members without a field in the form keep their stored values.
 */
export function readAlertForm(form: FormData, stored: Alert | null): AlertMembers {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const comparison = text("comparison") as Comparison;
  return {
    name: text("name"),
    query: trimQuery(String(form.get("query") ?? "")),
    range_seconds: Number(text("range")),
    interval_seconds: Number(text("interval")),
    condition: {
      column: text("column"),
      comparison,
      threshold: comparison === "no_data" ? null : Number(text("threshold")),
    },
    for_seconds: Number(text("for")),
    severity: text("severity") as Alert["severity"],
    labels: stored?.labels ?? {},
    channels: readChannels(text("channel"), text("destination"), stored),
  };
}

function readChannels(kind: string, destination: string, stored: Alert | null): Channels {
  if (kind === "none") return [];
  if (kind === "stored" || (destination === "" && stored !== null)) return null;
  const recipients = destination.split(/[\s,;]+/).filter((each) => each !== "");
  const channel = { kind: kind as ChannelKind, headers: {} };
  return [
    kind === "email" ? { ...channel, url: "", recipients } : { ...channel, url: destination, recipients: [] },
  ];
}
