import { expect, it } from "vitest";
import { attributeField } from "./attributeField";

it.each([
  ["http.method", "http.method"],
  ["service", "attributes.service"],
  ["timestamp", "attributes.timestamp"],
  ["resource.x", "attributes.resource.x"],
  ["attributes.x", "attributes.attributes.x"],
  ["odd name", "odd name"],
  ["", null],
])("names the attribute %j as %j", (name, expected) => {
  expect(attributeField(name)).toBe(expected);
});

it("names a resource attribute by its own prefix", () => {
  expect(attributeField("host.name", "resource")).toBe("host.name");
  expect(attributeField("service", "resource")).toBe("resource.service");
});
