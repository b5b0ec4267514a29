import type { Log } from "../api/types";

/** What the records of a context share with the one they surround; "all" is nothing. */
export const CONTEXT_CHOICES = ["all", "service", "host", "pod", "trace"] as const;
export type ContextChoice = (typeof CONTEXT_CHOICES)[number];

export function isContextChoice(value: unknown): value is ContextChoice {
  return CONTEXT_CHOICES.some((choice) => choice === value);
}

/** The record's own value that its neighbours share; "" where it has none, and the choice cannot be made. */
export function sharedValue(log: Log, choice: Exclude<ContextChoice, "all">): string {
  const values = {
    service: log.service,
    host: log.resource["host.name"],
    pod: log.resource["k8s.pod.name"],
    trace: log.trace_id,
  };
  return String(values[choice] ?? "");
}

/** The nearest choice that this record can have: the asked one, or all. */
export function possibleChoice(log: Log, choice: ContextChoice): ContextChoice {
  return choice === "all" || sharedValue(log, choice) !== "" ? choice : "all";
}
