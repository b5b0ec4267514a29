import { expect, it } from "vitest";
import { linkRuns } from "./linkRanges";

function links(text: string): string[] {
  return linkRuns(text).flatMap(({ from, to, href }) => {
    if (href === null) return [];
    expect(text.slice(from, to)).toBe(href);
    return [href];
  });
}

it.each<[string, string[]]>([
  ["", []],
  ["no address, http:// and https:", []],
  ["GET https://api.example.com/v1/cart?id=7#top 200", ["https://api.example.com/v1/cart?id=7#top"]],
  ["(see http://localhost:8080/a_(b)).", ["http://localhost:8080/a_(b)"]],
  ["[https://a.example/x], https://b.example!", ["https://a.example/x", "https://b.example"]],
  ['{"url":"https://a.example/x","n":1}', ["https://a.example/x"]],
  ["http://[::1]:9000/ready", ["http://[::1]:9000/ready"]],
  ["javascript:alert(1) ftp://host/ xhttps://host/", []],
  ["https://ex\u202eample.com/ https://exämple.com", []],
  ["https://host:port/", []],
])("finds the addresses in %j", (text, expected) => {
  expect(links(text)).toEqual(expected);
});

it("covers the whole text, in order", () => {
  for (const text of ["", "a", "a https://b.example/ c", "https://b.example", "https://a.b/https://c.d/"]) {
    expect(
      linkRuns(text)
        .map(({ from, to }) => text.slice(from, to))
        .join(""),
    ).toBe(text);
  }
});

it("draws a bounded number of links", () => {
  const text = "https://a.example ".repeat(10_000);
  const runs = linkRuns(text);
  expect(runs.length).toBeLessThanOrEqual(1_002);
  expect(runs.map(({ from, to }) => text.slice(from, to)).join("")).toBe(text);
});

it("takes no longer than the text is long", () => {
  expect(links(`https://a.example/${")".repeat(1_000_000)}`)).toEqual(["https://a.example/"]);
});
