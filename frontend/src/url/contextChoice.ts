import { valueText } from "../api/logJson";
import type { Log } from "../api/types";

/** Field whose value a record shares with all records of its context. "all" stands for no field. */
export const CONTEXT_CHOICES = ["all", "service", "host", "pod", "trace"] as const;
export type ContextChoice = (typeof CONTEXT_CHOICES)[number];

export function isContextChoice(value: unknown): value is ContextChoice {
  return CONTEXT_CHOICES.some((choice) => choice === value);
}

/**
 * Returns the record's value that its neighbours share; "" if the record has none, so that the choice is not offered.
 */
export function sharedValue(log: Log, choice: Exclude<ContextChoice, "all">): string {
  const values = {
    service: log.service,
    host: log.resource["host.name"],
    pod: log.resource["k8s.pod.name"],
    trace: log.trace_id,
  };
  return valueText(values[choice] ?? "");
}

/** Returns the requested choice where this record has a value for it, else "all". */
export function possibleChoice(log: Log, choice: ContextChoice): ContextChoice {
  return choice === "all" || sharedValue(log, choice) !== "" ? choice : "all";
}
