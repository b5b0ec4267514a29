import { describe, expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { isContextChoice, possibleChoice, sharedValue } from "./contextChoice";

describe("a context's choice", () => {
  it("is one of five words", () => {
    expect(["all", "pod", "", "toString", 7].filter(isContextChoice)).toEqual(["all", "pod"]);
  });

  it("takes the record's own values", () => {
    const log = sampleLog({ resource: { "host.name": "node-1", "k8s.pod.name": 7 }, trace_id: "ab" });
    expect(sharedValue(log, "host")).toBe("node-1");
    expect(sharedValue(log, "pod")).toBe("7");
    expect(sharedValue(log, "trace")).toBe("ab");
    expect(sharedValue(sampleLog({ resource: { "host.name": { ip: ["::1"] } } }), "host")).toBe(
      '{"ip":["::1"]}',
    );
  });

  it("falls back to all where the record has no such value", () => {
    expect(possibleChoice(sampleLog(), "service")).toBe("service");
    expect(possibleChoice(sampleLog(), "host")).toBe("all");
    expect(possibleChoice(sampleLog(), "trace")).toBe("all");
  });
});
