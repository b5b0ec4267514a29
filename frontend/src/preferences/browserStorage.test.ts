// @vitest-environment jsdom
import { expect, it, vi } from "vitest";
import { lastingStorage, tabStorage } from "./browserStorage";

function refuse(): never {
  throw new DOMException("The operation is not allowed", "SecurityError");
}

it("keeps texts in the browser's storages, and removes them", () => {
  lastingStorage.set("storage-test.kept", "lasting");
  tabStorage.set("storage-test.kept", "tab");
  expect(localStorage.getItem("storage-test.kept")).toBe("lasting");
  expect(sessionStorage.getItem("storage-test.kept")).toBe("tab");
  lastingStorage.remove("storage-test.kept");
  tabStorage.remove("storage-test.kept");
  expect(lastingStorage.get("storage-test.kept")).toBeNull();
  expect(sessionStorage.getItem("storage-test.kept")).toBeNull();
});

it("returns the last text if a full storage has refused it, until one is stored", () => {
  lastingStorage.set("storage-test.full", "old");
  const set = vi.spyOn(Storage.prototype, "setItem").mockImplementation(refuse);
  lastingStorage.set("storage-test.full", "new");
  expect(localStorage.getItem("storage-test.full")).toBe("old");
  expect(lastingStorage.get("storage-test.full")).toBe("new");
  set.mockRestore();
  lastingStorage.set("storage-test.full", "newest");
  expect(lastingStorage.get("storage-test.full")).toBe("newest");
  expect(localStorage.getItem("storage-test.full")).toBe("newest");
  lastingStorage.remove("storage-test.full");
});

it("keeps texts in memory if the browser blocks access", () => {
  for (const method of ["getItem", "setItem", "removeItem"] as const)
    vi.spyOn(Storage.prototype, method).mockImplementation(refuse);
  expect(tabStorage.get("storage-test.blocked")).toBeNull();
  tabStorage.set("storage-test.blocked", "kept");
  expect(tabStorage.get("storage-test.blocked")).toBe("kept");
  tabStorage.remove("storage-test.blocked");
  expect(tabStorage.get("storage-test.blocked")).toBeNull();
});
