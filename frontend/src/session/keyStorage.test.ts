// @vitest-environment jsdom
import { expect, it } from "vitest";
import { keyStorage } from "./keyStorage";

it("keeps the name of a tenant with the tenant's own key only", () => {
  keyStorage.keep("demo-key", true);
  keyStorage.keepTenant("demo-key", "demo");
  expect(keyStorage.readTenant()).toBe("demo");
  // Another tab signs in while the key of this tab is checked.
  keyStorage.keep("other-key", true);
  keyStorage.keepTenant("demo-key", "demo");
  expect(keyStorage.readTenant()).toBeNull();
});
