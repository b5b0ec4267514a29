import { expect, it } from "vitest";
import { severityLabel, severityOf } from "./severity";

it.each([
  [0, "unspecified"],
  [1, "trace"],
  [4, "trace"],
  [5, "debug"],
  [9, "info"],
  [12, "info"],
  [13, "warn"],
  [17, "error"],
  [21, "fatal"],
  [24, "fatal"],
  [25, "unspecified"],
  [-1, "unspecified"],
  [9.5, "unspecified"],
] as const)("names severity number %d", (number, name) => {
  expect(severityOf(number)).toBe(name);
});

it("shows a dash where there is no severity", () => {
  expect(severityLabel("unspecified")).toBe("–");
  expect(severityLabel("error")).toBe("ERROR");
});
