import { expect, it } from "vitest";
import type { FieldCount } from "../api/types";
import { inGroups, inListOrder } from "./fieldOrder";

const field = (source: FieldCount["source"], name: string): FieldCount => ({ name, source, records: 1 });

it("begins with severity and service, and lists the service once", () => {
  const fields = [
    field("record", "scope.name"),
    field("attributes", "user.id"),
    field("resource", "service.name"),
    field("record", "service"),
    field("resource", "host.name"),
    field("record", "severity"),
    field("attributes", "severity"),
    field("attributes", "service.name"),
  ];
  expect(inListOrder(fields).map(({ name, source }) => `${source} ${name}`)).toEqual([
    "record severity",
    "record service",
    "attributes user.id",
    "attributes severity",
    "attributes service.name",
    "resource host.name",
    "record scope.name",
  ]);
});

it("keeps the resource's service.name where records have no service", () => {
  expect(inListOrder([field("resource", "service.name")])).toHaveLength(1);
});

it("puts fields under headings, and leaves out headings without fields", () => {
  const fields = inListOrder([
    field("record", "trace_id"),
    field("attributes", "severity"),
    field("record", "severity"),
  ]);
  expect(inGroups(fields).map(({ heading, fields: inside }) => [heading, inside.length])).toEqual([
    ["Severity and service", 1],
    ["Attributes of the log", 1],
    ["Other parts of the log", 1],
  ]);
});
