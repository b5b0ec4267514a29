import { expect, it } from "vitest";
import { serviceColours } from "./serviceColours";

it("gives a service the same colour, however many logs follow", () => {
  const first = serviceColours(["web", "cart", "web"]);
  const more = serviceColours(["web", "cart", "web", "db", "cart"]);
  expect([...first]).toEqual([
    ["web", 0],
    ["cart", 1],
  ]);
  expect(more.get("cart")).toBe(first.get("cart"));
  expect(serviceColours("abcdefghi".split("")).get("i")).toBe(0);
});
