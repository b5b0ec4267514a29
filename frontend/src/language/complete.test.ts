import { describe, expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { suggest, valueAtCursor } from "./complete";
import { knownFields } from "./knownFields";

const FIELDS = knownFields([
  sampleLog({
    service: "checkout",
    attributes: { "http.method": "GET", "bad name": 1, service: "mine", nested: { a: 1 } },
  }),
  sampleLog({ service: "cart api", resource: { "host.name": "web-1" } }),
]);
const labels = (query: string, cursor = query.length) =>
  suggest(query, cursor, FIELDS)?.options.map((option) => option.label);

describe("knownFields", () => {
  it("has built-in fields, attributes and resource attributes", () => {
    expect([...FIELDS.keys()]).toEqual(
      expect.arrayContaining(["service", "severity", "http.method", "host.name", "nested"]),
    );
    expect(suggest("bad", 3, FIELDS)?.options[0]?.insert).toBe('"bad name":');
    expect([...(FIELDS.get("nested") ?? [])]).toEqual([]);
    expect([...(FIELDS.get("attributes.service") ?? [])]).toEqual(["mine"]);
  });
});

describe("suggest", () => {
  it("offers field names, those that begin with the text first", () => {
    expect(labels("serv")).toEqual(["service", "attributes.service"]);
    expect(labels("error na")).toEqual(["scope.name", "host.name", "event_name", "bad name"]);
    expect(suggest("ser", 3, FIELDS)?.options[0]?.insert).toBe("service:");
  });

  it("offers seen values after a colon, quoted where needed", () => {
    expect(labels("service:")).toEqual(["checkout", "cart api"]);
    expect(labels("-service:ch")).toEqual(["checkout"]);
    expect(suggest("service:ca", 10, FIELDS)).toEqual({
      from: 8,
      options: [{ label: "cart api", kind: "value", insert: '"cart api" ' }],
    });
    expect(labels("severity:wa")).toEqual(["warn"]);
  });

  /** Returns the query after its first suggestion was accepted at the cursor, which is where the `^` is. */
  const accepted = (marked: string) => {
    const cursor = marked.indexOf("^");
    const query = marked.replace("^", "");
    const found = suggest(query, cursor, FIELDS);
    return found && query.slice(0, found.from) + found.options[0]?.insert + query.slice(cursor);
  };

  it.each([
    ["error | stats p95(http.m^", "error | stats p95(http.method"],
    ["| stats count(),uniq(bad^)", '| stats count(),uniq("bad name")'],
    ["error | stats count() by serv^", "error | stats count() by service"],
    ["| stats count(), count_if(service:che^", "| stats count(), count_if(service:checkout "],
    ["error | ser^", null],
    ["| stats count() by service, ^", null],
    ["| stats count() by service,^", null],
    ["| stats count() by service,http.m^", "| stats count() by service,http.method"],
    ['| stats count() by "bad name",serv^', '| stats count() by "bad name",service'],
    ["a,serv^", null],
  ])("writes names in `| stats` without a colon: %s", (typed, expected) => {
    expect(accepted(typed)).toBe(expected);
  });

  it.each([
    ["service:(che^", "service:(checkout "],
    ["-service:(x OR (ca^", '-service:(x OR ("cart api" '],
    ["severity:(error OR ser^", null],
    ["severity:(error) ser^", "severity:(error) service:"],
    ["(severity:error OR ser^", "(severity:error OR service:"],
  ])("offers values and no names in the parentheses of a field: %s", (typed, expected) => {
    expect(accepted(typed)).toBe(expected);
  });

  it("writes no second colon", () => {
    expect(accepted("error serv^:cart")).toBe("error service:cart");
  });

  it.each(["", "error ", '"serv', "/serv", "unknown:", "zzzz", "service:checkout"])(
    "offers nothing in %j",
    (query) => {
      expect(labels(query)).toBeUndefined();
    },
  );

  it("reads only the text before the cursor", () => {
    expect(labels("ser error", 3)).toEqual(["service", "attributes.service"]);
  });
});

it("names the field whose values are requested", () => {
  expect(valueAtCursor("service:che", 11)).toEqual({ field: "service", typed: "che" });
  expect(valueAtCursor("service:(a OR che", 17)).toEqual({ field: "service", typed: "che" });
  expect(valueAtCursor("(service:a OR che", 17)).toBeNull();
});
