import { expect, it } from "vitest";
import { planText } from "./planText";

it.each(["in_order", "two_phase", "windowed"])("explains plan %s in plain words", (name) => {
  const { label, explanation } = planText(name);
  expect(label).not.toContain("_");
  expect(label).not.toBe(name);
  expect(explanation).toContain(`Name of this plan: ${name}.`);
});

it("shows a plan that it does not know by its name", () => {
  expect(planText("new_plan").label).toBe("new_plan");
});
