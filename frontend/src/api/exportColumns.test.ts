import { expect, it } from "vitest";
import { exportColumns } from "./exportColumns";

it("escapes what separates names", () => {
  expect(exportColumns(["timestamp", "a,b", "100%", "%2C"])).toBe("timestamp,a%2Cb,100%25,%252C");
});

it("has each column once, also if the list shows a column that every export has", () => {
  expect(exportColumns(["timestamp", "severity", "service", "severity"])).toBe("timestamp,severity,service");
});
