import { expect, it } from "vitest";
import { indentedJson, isJsonTree, parseLogJson, valueText } from "./logJson";

it.each(['{"a":[1,"x"]}', " [1]", '{"id":12345678901234567890,"share":1.0}'])(
  "shows %j as a tree",
  (body) => {
    expect(isJsonTree(body)).toBe(true);
  },
);

it.each(["plain text", '"text"', "7", "{broken", "[INFO] started", "", "{}", "[]"])(
  "leaves %j alone",
  (body) => {
    expect(isJsonTree(body)).toBe(false);
  },
);

it.each(["7", "-3", "1.5", "0.25", "503.0", "-0.0", "9007199254740993", "1e-07", "1e22", "true", "null"])(
  "shows the value %s of a record as it was sent",
  (sent) => {
    for (const text of [`{"a":${sent}}`, `{"a": ${sent}, "b":1}`, `[{"a":[${sent}]}]`]) {
      expect(valueText(parseLogJson(text))).toBe(text.replaceAll(" ", ""));
    }
  },
);

it("writes a record with the digits that were sent", () => {
  const record = parseLogJson('{"id":"1","attributes":{"ratio":1.0}}');
  expect(indentedJson(record)).toBe('{\n  "id": "1",\n  "attributes": {\n    "ratio": 1.0\n  }\n}');
});

it.each(["{", "", '{"a":1.0', "{1.0}"])("refuses %j", (text) => {
  expect(() => parseLogJson(text)).toThrow(SyntaxError);
});

it("keeps a field named __proto__ as a field", () => {
  for (const number of ["1", "1.0"]) {
    const log = parseLogJson(`{"__proto__":${number}}`) as object;
    expect(Object.keys(log)).toEqual(["__proto__"]);
  }
});
