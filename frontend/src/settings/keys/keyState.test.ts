import { describe, expect, it } from "vitest";
import type { AdminKey } from "../../api/types";
import { expiryOf, idOf, inOrder, keyState } from "./keyState";

const NOW = Date.parse("2026-11-22T12:00:00Z");

function sampleKey(changes: Partial<AdminKey> = {}): AdminKey {
  return {
    id: "01",
    tenant: "demo",
    purpose: "ingest",
    label: "",
    created_at: "2026-11-01T00:00:00Z",
    revoked_at: null,
    expires_at: null,
    last_used_at: null,
    ...changes,
  };
}

describe("the state of a key", () => {
  it("is decided by its revocation first, then by its expiry", () => {
    expect(keyState(sampleKey(), NOW)).toBe("works");
    expect(keyState(sampleKey({ expires_at: "2027-11-22T12:00:00Z" }), NOW)).toBe("works");
    expect(keyState(sampleKey({ expires_at: "2026-11-30T12:00:00Z" }), NOW)).toBe("expires soon");
    expect(keyState(sampleKey({ expires_at: "2026-11-22T12:00:00.000000000Z" }), NOW)).toBe("expired");
    const revoked = { revoked_at: "2026-11-02T00:00:00Z", expires_at: "2026-11-03T00:00:00Z" };
    expect(keyState(sampleKey(revoked), NOW)).toBe("revoked");
  });

  it("orders the list: working keys before others, newer ones before older ones", () => {
    const keys = [
      sampleKey({ id: "revoked", revoked_at: "2026-11-02T00:00:00Z", created_at: "2026-11-20T00:00:00Z" }),
      sampleKey({ id: "old" }),
      sampleKey({ id: "new", created_at: "2026-11-10T00:00:00Z" }),
    ];
    expect(inOrder(keys, NOW).map(({ id }) => id)).toEqual(["new", "old", "revoked"]);
  });
});

describe("a new key", () => {
  it("ends after so many days, or never", () => {
    expect(expiryOf("30", NOW)).toBe("2026-12-22T12:00:00.000Z");
    expect(expiryOf("", NOW)).toBeNull();
  });
});

describe("the id in a key's text", () => {
  it("is found, and nothing in other texts", () => {
    expect(idOf("ls_admin_1b03286cff84_4f83")).toBe("1b03286cff84");
    expect(idOf("something else")).toBeNull();
    expect(idOf(null)).toBeNull();
  });
});
