import type { SearchStats } from "../api/types";

/** A plan as the toolbar shows it. */
export interface PlanText {
  readonly label: string;
  /** Sentence that explains the plan. */
  readonly explanation: string;
}

const PLANS: Readonly<Record<Exclude<SearchStats["plan"], "auto">, PlanText>> = {
  in_order: {
    label: "one pass",
    explanation: "The server read the logs in the order of time, until the page was full.",
  },
  two_phase: {
    label: "two steps",
    explanation: "The server first read the keys of the page's logs, then the logs themselves.",
  },
  windowed: {
    label: "in windows",
    explanation: "The server read one window of time after the other, until the page was full.",
  },
};

/** Returns the text of a plan with its name in the API. A plan that is unknown is shown by its name. */
export function planText(plan: string): PlanText {
  const known = (PLANS as Readonly<Record<string, PlanText>>)[plan];
  const name = `Name of this plan: ${plan}. Explain shows why it was chosen.`;
  return known === undefined
    ? { label: plan, explanation: name }
    : { label: known.label, explanation: `${known.explanation} ${name}` };
}
