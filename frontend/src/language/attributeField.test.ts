import { expect, it } from "vitest";
import { attributeField, resourceField } from "./attributeField";

it.each([
  ["http.method", "http.method"],
  ["service", "attributes.service"],
  ["timestamp", "attributes.timestamp"],
  ["resource.x", "attributes.resource.x"],
  ["attributes.x", "attributes.attributes.x"],
  ["odd name", "odd name"],
  ["", null],
  ["a\0b", null],
])("names the attribute %j as %j", (name, expected) => {
  expect(attributeField(name)).toBe(expected);
});

it("names a resource attribute by its own prefix", () => {
  expect(attributeField("host.name", "resource")).toBe("host.name");
  expect(attributeField("service", "resource")).toBe("resource.service");
  expect(resourceField("host.name")).toBe("resource.host.name");
});

it.each(["", "a\0b"])("names no resource attribute %j", (name) => {
  expect(attributeField(name, "resource")).toBeNull();
  expect(resourceField(name)).toBeNull();
});
