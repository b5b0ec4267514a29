import { expect, it } from "vitest";
import { exportColumns } from "./exportColumns";

it("escapes what separates names", () => {
  expect(exportColumns(["timestamp", "a,b", "100%", "%2C"])).toBe("timestamp,a%2Cb,100%25,%252C");
});
