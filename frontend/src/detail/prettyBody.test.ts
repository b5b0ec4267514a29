import { expect, it } from "vitest";
import { prettyJson } from "./prettyBody";

it("lays JSON objects and arrays out", () => {
  expect(prettyJson('{"a":[1,"x"]}')).toBe('{\n  "a": [\n    1,\n    "x"\n  ]\n}');
  expect(prettyJson(" [1]")).toBe("[\n  1\n]");
});

it.each(["plain text", '"text"', "7", "{broken", "[INFO] started", ""])("leaves %j alone", (body) => {
  expect(prettyJson(body)).toBeNull();
});

it("never changes a number", () => {
  expect(prettyJson('{"id":12345678901234567890}')).toBeNull();
  expect(prettyJson('{"id":"12345678901234567890"}')).not.toBeNull();
});
