import { describe, expect, it } from "vitest";
import { environmentText, keyMistake, maskedKey, NO_KEY } from "./environment";

const KEY = `ls_ingest_2fe01447e149_${"a".repeat(64)}`;

describe("the variables of the snippets", () => {
  it("hold address and key for a shell, and the header with its space encoded", () => {
    expect(environmentText("https://logs.example.com:4318", KEY).split("\n")).toEqual([
      `export LOGSIEVE_INGEST_KEY='${KEY}'`,
      "export OTEL_EXPORTER_OTLP_ENDPOINT='https://logs.example.com:4318'",
      "export OTEL_EXPORTER_OTLP_PROTOCOL='http/protobuf'",
      'export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$LOGSIEVE_INGEST_KEY"',
    ]);
  });

  it("show the id of a key, not its secret", () => {
    expect(maskedKey(KEY)).toBe("ls_ingest_2fe01447e149_••••••••");
    expect(maskedKey(NO_KEY)).toBe(NO_KEY);
  });
});

describe("a typed key", () => {
  it("is taken where it is a whole ingest key, and where nothing is typed", () => {
    expect(keyMistake(KEY)).toBeNull();
    expect(keyMistake("")).toBeNull();
  });

  it("is refused with what it is instead", () => {
    expect(keyMistake(KEY.replace("ingest", "query"))).toContain("purpose query");
    expect(keyMistake("ls_ingest_2fe0")).toContain("not a whole key");
    expect(keyMistake(`${KEY}'; rm x`)).toContain("not a whole key");
  });
});
