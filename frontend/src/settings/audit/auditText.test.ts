import { describe, expect, it } from "vitest";
import { actionText, changesOf, subjectOf } from "./auditText";

describe("an entry of the audit log", () => {
  it("names its change, or the action where it is not known", () => {
    expect(actionText("key.revoke")).toBe("Key revoked");
    expect(actionText("key.rotate")).toBe("key.rotate");
  });

  it("has the values that were changed, before and after", () => {
    const before = { retention_days: 30, name: "demo", limit: null, removed: true };
    const after = { retention_days: 14, name: "demo", limit: 5, added: ["a"] };
    expect(changesOf({ before, after })).toEqual([
      { name: "retention_days", before: "30", after: "14" },
      { name: "limit", before: "none", after: "5" },
      { name: "removed", before: "true", after: null },
      { name: "added", before: null, after: '["a"]' },
    ]);
  });

  it("names the key whose label was changed", () => {
    const entry = { before: { key: "01", label: "laptop" }, after: { key: "01", label: "checkout" } };
    expect(actionText("key.label")).toBe("Key labelled");
    expect(subjectOf(entry)).toEqual({ id: "01", name: null });
    expect(changesOf(entry)).toEqual([{ name: "label", before: "laptop", after: "checkout" }]);
  });

  it("leaves out what was created without a value, and has times that can be read", () => {
    const after = { label: "", expires_at_ns: 1_795_348_800_000_000_000, limit: null, own_limits: [] };
    expect(changesOf({ before: {}, after })).toEqual([
      { name: "expires_at_ns", before: null, after: "2026-11-22T12:00:00.000Z" },
    ]);
  });

  it("names every action of views, dashboards and alert rules", () => {
    const kinds = ["view", "dashboard", "alert"].flatMap((kind) => [
      `${kind}.create`,
      `${kind}.change`,
      `${kind}.delete`,
    ]);
    expect([...kinds, "alert.mute", "alert.test"].filter((action) => actionText(action) === action)).toEqual(
      [],
    );
  });

  it("names the changed object, also if only its other values changed", () => {
    const before = { dashboard: "bb925879b3b1", name: "Shop", panels: 0 };
    const after = { dashboard: "bb925879b3b1", name: "Shop", panels: 2 };
    expect(subjectOf({ before, after })).toEqual({ id: "bb925879b3b1", name: "Shop" });
    expect(subjectOf({ before: { retention_days: 30 }, after: { retention_days: 14 } })).toBeNull();
  });

  it("does not show the id of a revoked key as a removed value", () => {
    const entry = { before: { key: "313b92951107", revoked: false }, after: { revoked: true } };
    expect(subjectOf(entry)).toEqual({ id: "313b92951107", name: null });
    expect(changesOf(entry)).toEqual([{ name: "revoked", before: "false", after: "true" }]);
  });
});
