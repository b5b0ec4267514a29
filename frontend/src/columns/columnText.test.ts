import { expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { columnAttribute, columnText } from "./columnText";

const log = sampleLog({
  service: "cart",
  trace_id: "t1",
  flags: 1,
  body_truncated_bytes: 12,
  attributes: { "user.id": 7, flags: "shadowed", service: "shadowed", both: "log", "odd.prototype": null },
  resource: { "host.name": "h", both: "resource" },
});

it.each([
  ["service", "cart"],
  ["attributes.service", "shadowed"],
  ["trace_id", "t1"],
  ["flags", "1"],
  ["attributes.flags", "shadowed"],
  ["body_truncated_bytes", "12"],
  ["timestamp", "2026-11-21T01:02:03.123456789Z"],
  ["observed_timestamp", "2026-11-21T01:02:03.200000000Z"],
  ["user.id", "7"],
  ["host.name", "h"],
  ["resource.host.name", "h"],
  ["both", "log"],
  ["resource.both", "resource"],
  ["odd.prototype", "null"],
  ["absent", ""],
  ["constructor", ""],
  ["toString", ""],
])("shows %s as %j", (field, text) => {
  expect(columnText(log, field)).toBe(text);
});

it("knows which attribute a column shows, so that its message does not repeat it", () => {
  expect(["user.id", "attributes.service", "both"].map((field) => columnAttribute(log, field))).toEqual([
    "user.id",
    "service",
    "both",
  ]);
  expect(
    ["service", "resource.both", "host.name", "absent"].map((field) => columnAttribute(log, field)),
  ).toEqual([null, null, null, null]);
});
