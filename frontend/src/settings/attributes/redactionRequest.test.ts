import { expect, it } from "vitest";
import { redactionRequest } from "./redactionRequest";

it("names a built-in redaction by its name, and another one by its expression", () => {
  expect(redactionRequest("card", "ignored", "ignored")).toEqual({ name: "card", expression: null });
  expect(redactionRequest("", " session ", "sid=[0-9a-f]{32}")).toEqual({
    name: "session",
    expression: "sid=[0-9a-f]{32}",
  });
  expect(redactionRequest("", "session", "")).toBeNull();
  expect(redactionRequest("", " ", "x")).toBeNull();
});
