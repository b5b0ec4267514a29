import { describe, expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { attributeField, fieldGroups } from "./recordFields";

describe("attributeField", () => {
  it.each([
    ["http.method", "http.method"],
    ["service", "attributes.service"],
    ["timestamp", "attributes.timestamp"],
    ["resource.x", "attributes.resource.x"],
    ["attributes.x", "attributes.attributes.x"],
    ["odd name", "odd name"],
  ])("names %s as %s", (name, expected) => {
    expect(attributeField(name)).toBe(expected);
  });
});

describe("fieldGroups", () => {
  it("leaves out what a record does not have", () => {
    const titles = fieldGroups(sampleLog()).map(({ title }) => title);
    expect(titles).toEqual(["Record"]);
  });

  it("has every attribute, also empty ones, with the field it is asked by", () => {
    const groups = fieldGroups(
      sampleLog({ attributes: { empty: "", zero: 0 }, resource: { "host.name": "a" }, trace_id: "ab" }),
    );
    expect(groups.map(({ title, fields }) => [title, fields.map(({ queryField }) => queryField)])).toEqual([
      ["Attributes", ["empty", "zero"]],
      ["Trace", ["trace_id"]],
      ["Resource", ["resource.host.name"]],
      ["Record", ["service", "severity_text", "severity_number", null]],
    ]);
  });
});
