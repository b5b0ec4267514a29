import { describe, expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { fieldGroups } from "./recordFields";

describe("fieldGroups", () => {
  it("leaves out what a record does not have", () => {
    const titles = fieldGroups(sampleLog()).map(({ title }) => title);
    expect(titles).toEqual(["Record"]);
  });

  it("has every attribute, also empty ones, with the field that finds it", () => {
    const groups = fieldGroups(
      sampleLog({
        attributes: { empty: "", service: "", flags: 0, "": 1 },
        resource: { "host.name": "a", "": 1 },
        trace_id: "ab",
      }),
    );
    expect(groups.map(({ title, fields }) => [title, fields.map(({ queryField }) => queryField)])).toEqual([
      ["Attributes", ["empty", "attributes.service", "attributes.flags", null]],
      ["Trace", ["trace_id"]],
      ["Resource", ["resource.host.name", null]],
      ["Record", ["service", "severity_text", "severity_number", null]],
    ]);
  });
});
