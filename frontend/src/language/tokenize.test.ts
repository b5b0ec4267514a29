import { describe, expect, it } from "vitest";
import cases from "./tokenCases.json";
import { tokenize, trimQuery } from "./tokenize";

const brief = (query: string) => tokenize(query).map((token) => `${token.kind}=${token.text}`);

describe("tokenize", () => {
  it.each(cases)("splits $query as the grammar does", ({ query, tokens }) => {
    expect(tokenize(query).map(({ kind, from, to }) => [kind, query.slice(from, to)])).toEqual(tokens);
  });

  it.each<[string, string[]]>([
    ['"connection reset" x', ["phrase=connection reset", "word=x"]],
    ['"a \\"b\\" \\\\"', ['phrase=a "b" \\']],
    ["/a\\/b/", ["regex=a\\/b"]],
    ["latency_ms:[100 TO 500]", ["field=latency_ms", "range=100 TO 500"]],
    ['"odd \\"name\\"":x', ['field=odd "name"', "word=x"]],
    ["body:~word", ["field=body", "comparison=~", "word=word"]],
    ["field: value", ["word=field:", "word=value"]],
    ["field: ", ["field=field"]],
  ])("reads what the tokens of %s mean", (query, expected) => {
    expect(brief(query)).toEqual(expected);
  });

  it("takes unfinished text as it is while it is being typed", () => {
    expect(brief('"half')).toEqual(["phrase=half"]);
    expect(brief("/half")).toEqual(["word=/half"]);
    expect(brief("a:[1 TO")).toEqual(["field=a", "range=1 TO"]);
    expect(brief("a\\")).toEqual(["word=a", "word=\\"]);
    expect(brief("(")).toEqual(["open=("]);
  });

  it("covers every character that is not space, in order", () => {
    for (const query of [
      'a:"b c" -(d OR /e f/) \\ ]] [x "',
      "::: -- ~> 日本 \u{1F600}*",
      'a:>="1" b:~/x/ ) (',
    ]) {
      let end = 0;
      for (const { from, to } of tokenize(query)) {
        expect(query.slice(end, from).trim()).toBe("");
        expect(to).toBeGreaterThan(from);
        end = to;
      }
      expect(query.slice(end).trim()).toBe("");
    }
  });
});

it.each([
  [" a b\n", "a b"],
  ["\u00a0a\u3000", "\u00a0a\u3000"],
  ["a\\  ", "a\\ "],
  [" \t", ""],
])("takes white space as the grammar counts it from the ends of %j", (query, trimmed) => {
  expect(trimQuery(query)).toBe(trimmed);
});
