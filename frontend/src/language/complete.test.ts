import { describe, expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { suggest } from "./complete";
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
