import { describe, expect, it } from "vitest";
import type { ResultMode, SearchState } from "./searchState";
import { DEFAULT_STATE, decodeSearchState, encodeSearchState, parseSearchText } from "./searchState";

const decode = (text: string) => decodeSearchState(parseSearchText(text));
const state = (changes: Partial<SearchState>): SearchState => ({ ...DEFAULT_STATE, ...changes });

describe("decoding", () => {
  it("gives the defaults for an empty URL", () => {
    expect(decode("")).toEqual(DEFAULT_STATE);
  });

  it("reads every parameter", () => {
    expect(
      decode(
        "?query=error&stats=count()+by+service&mode=chart&chart=table&from=2026-11-21T01:00:00Z&to=2026-11-21T02:00:00Z&order=asc&columns=user.id~90,service&by=user.id&record=01abc&context=host&explain=1&tail=1&refresh=30s&view=0123456789ab",
      ),
    ).toEqual({
      query: "error",
      stats: "count() by service",
      mode: "chart",
      chart: "table",
      from: "2026-11-21T01:00:00Z",
      to: "2026-11-21T02:00:00Z",
      order: "asc",
      columns: "user.id~90,service",
      by: "user.id",
      record: "01abc",
      context: "host",
      explain: true,
      tail: true,
      refresh: "30s",
      view: "0123456789ab",
    });
  });

  it("keeps relative times relative", () => {
    expect(decode("?from=now-90m&to=now-30m")).toEqual(state({ from: "now-90m", to: "now-30m" }));
  });

  it.each(["?from=yesterday&to=now", "?from=now-1h&to=soon", "?from=now-5x", "?from=2026-02-31T00:00:00Z"])(
    "replaces the whole range when one end is unreadable: %s",
    (text) => {
      const { from, to } = decode(text);
      expect({ from, to }).toEqual({ from: "now-1h", to: "now" });
    },
  );

  it("fills in the end that is missing", () => {
    expect(decode("?from=now-24h")).toEqual(state({ from: "now-24h" }));
  });

  it.each(["ASC", "newest", "", "desc"])("takes newest first for order=%s", (order) => {
    expect(decode(`?order=${order}`).order).toBe("desc");
  });

  it.each(["1s", "", "off"])("takes no automatic refresh for refresh=%s", (refresh) => {
    expect(decode(`?refresh=${refresh}`).refresh).toBeNull();
  });

  it("takes logs for a chart without stats", () => {
    expect(decode("?query=a&mode=chart").mode).toBe("logs");
    expect(decode("?query=a&stats=&mode=chart").mode).toBe("logs");
    expect(decode("?query=a&mode=patterns").mode).toBe("patterns");
  });

  it.each([
    ["query=error+|+stats+count()", "error", "count()", "chart"],
    ["query=error+|+stats+count()&mode=patterns", "error", "count()", "patterns"],
    ["query=error+|+stats+count()&stats=avg(ms)", "error", "count() | stats avg(ms)", "chart"],
    ["query=error+|+stats&mode=chart", "error | stats", "", "logs"],
    ['query="a+|+stats+b"', '"a | stats b"', "", "logs"],
  ])("takes %s for what the query bar would run", (text, query, stats, mode) => {
    const decoded = decode(`?${text}`);
    expect(decoded).toEqual(state({ query, stats, mode: mode as ResultMode }));
    expect(decodeSearchState({ ...decoded })).toEqual(decoded);
  });

  it("treats an empty record as none", () => {
    expect(decode("?record=").record).toBeNull();
  });

  it("takes the first of a repeated parameter and ignores unknown ones", () => {
    expect(decode("?query=a&query=b&utm_source=x")).toEqual(state({ query: "a" }));
  });

  it("survives values that are not text", () => {
    expect(decodeSearchState({ query: 7, from: {}, to: [], order: null, record: 3, explain: "yes" })).toEqual(
      DEFAULT_STATE,
    );
  });

  it("survives parameters named like object members", () => {
    expect(decode("?__proto__=x&constructor=y&query=z")).toEqual(state({ query: "z" }));
  });

  it("survives malformed percent-encoding", () => {
    expect(decode("?query=%E0%A4%A&from=%").query).toContain("A");
  });

  it("cuts absurdly long queries", () => {
    expect(decode(`?query=${"a".repeat(50_000)}`).query).toHaveLength(20_000);
  });

  it("is idempotent, because the router decodes what it is about to encode", () => {
    const once = decode("?query=a+b&from=now-6h&record=r&explain=1");
    expect(decodeSearchState({ ...once })).toEqual(once);
  });
});

describe("encoding", () => {
  it("always writes the range and leaves out other defaults", () => {
    expect(encodeSearchState(DEFAULT_STATE)).toBe("?from=now-1h&to=now");
  });

  it("stays readable", () => {
    expect(encodeSearchState(state({ query: "service:checkout /a b/", from: "2026-11-21T01:00:00Z" }))).toBe(
      "?query=service:checkout+/a+b/&from=2026-11-21T01:00:00Z&to=now",
    );
  });

  it("encodes what would end or change a value", () => {
    expect(encodeSearchState(state({ query: "a&b=c#d+e%" }))).toContain("query=a%26b%3Dc%23d%2Be%25&");
  });

  it.each([
    'level:"very bad" -debug NOT (a b)',
    "http.status_code:>=500 latency_ms:[100 TO 500]",
    "/reset by \\w+/ 100% a&b=c#d?e+f",
    "naïve 日本語 \u{1F600} tab\there\nnewline",
    "<script>alert(1)</script>",
    "  spaces kept  ",
    "null",
    "123",
    '"quoted"',
    "[1,2]",
    "true",
  ])("round-trips the query %j", (query) => {
    const original = state({
      query,
      record: "id/with:odd&chars",
      columns: "a%2Cb~40,x y",
      by: "odd name&%",
      order: "asc",
      explain: true,
      tail: true,
    });
    expect(decode(encodeSearchState(original))).toEqual(original);
  });

  it("does not throw on half a surrogate pair", () => {
    expect(() => encodeSearchState(state({ query: "\ud83d" }))).not.toThrow();
  });
});
