import { describe, expect, it } from "vitest";
import { likelyIngestAddress, readIngestAddress } from "./ingestAddress";

describe("the likely ingest address", () => {
  it("has the page's host, and the port of OTLP with the page's offset", () => {
    const at = (href: string) => likelyIngestAddress(new URL(href));
    expect(at("http://127.0.0.1:8080/")).toBe("http://127.0.0.1:4318");
    expect(at("http://127.0.0.1:8480/get-started")).toBe("http://127.0.0.1:4718");
    expect(at("https://logs.example.com/")).toBe("https://logs.example.com:4318");
    expect(at("http://[::1]:8080/")).toBe("http://[::1]:4318");
    expect(at("http://localhost:3000/")).toBe("http://localhost:4318");
  });
});

describe("a typed address", () => {
  it("is taken without a trailing slash and the path of OTLP", () => {
    expect(readIngestAddress(" https://logs.example.com:4318/v1/logs ")).toBe(
      "https://logs.example.com:4318",
    );
    expect(readIngestAddress("http://10.0.0.1:4318/")).toBe("http://10.0.0.1:4318");
    expect(readIngestAddress("https://example.com/otlp/")).toBe("https://example.com/otlp");
  });

  it.each([
    "",
    "logs.example.com:4318",
    "ftp://x",
    "http://",
    "http://x y",
    "http://x'; rm -r '",
    "http://$(x)",
  ])("is refused: %j", (typed) => expect(readIngestAddress(typed)).toBeNull());
});
