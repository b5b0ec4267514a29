import { describe, expect, it } from "vitest";
import { tokenize } from "./tokenize";

const brief = (query: string) => tokenize(query).map((token) => `${token.kind}=${token.text}`);

describe("tokenize", () => {
  it.each<[string, string[]]>([
    ["connection error", ["word=connection", "word=error"]],
    ['"connection reset" x', ["phrase=connection reset", "word=x"]],
    ['"a \\"b\\" \\\\"', ['phrase=a "b" \\']],
    ["time* *out*", ["wildcard=time*", "wildcard=*out*"]],
    ["/reset by \\w+/", ["regex=reset by \\w+"]],
    ["/a\\/b/", ["regex=a\\/b"]],
    ["error OR fatal", ["word=error", "boolean=OR", "word=fatal"]],
    ["ORDER ANDROID", ["word=ORDER", "word=ANDROID"]],
    [
      "-debug NOT (a b)",
      ["negation=-", "word=debug", "boolean=NOT", "open=(", "word=a", "word=b", "close=)"],
    ],
    ["-service:checkout", ["negation=-", "field=service", "word=checkout"]],
    ["severity:>=warn", ["field=severity", "comparison=>=", "word=warn"]],
    ["latency_ms:[100 TO 500]", ["field=latency_ms", "range=100 TO 500"]],
    ["user.id:(7 OR 8)", ["field=user.id", "open=(", "word=7", "boolean=OR", "word=8", "close=)"]],
    ["k8s.pod.name:web-*", ["field=k8s.pod.name", "wildcard=web-*"]],
    ['body:~word body:"a b"', ["field=body", "comparison=~", "word=word", "field=body", "phrase=a b"]],
    ["10.0.0.1 user-id=42", ["word=10.0.0.1", "word=user-id=42"]],
    ["error.type:*", ["field=error.type", "wildcard=*"]],
    ['"odd \\"name\\"":x', ['field=odd "name"', "word=x"]],
    ["latency_ms:{100 TO *}", ["field=latency_ms", "range=100 TO *"]],
    ["http://a/b", ["word=http://a/b"]],
    ["url.path:/a b/ body:/c d/", ["field=url.path", "word=/a", "word=b/", "field=body", "regex=c d"]],
    ["x:-5", ["field=x", "word=-5"]],
    ["field: value", ["field=field", "word=value"]],
    ["", []],
    ["   ", []],
  ])("reads %s", (query, expected) => {
    expect(brief(query)).toEqual(expected);
  });

  it("takes unfinished text as it is while it is being typed", () => {
    expect(brief('"half')).toEqual(["phrase=half"]);
    expect(brief("/half")).toEqual(["regex=half"]);
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
