import { expect, it, vi } from "vitest";
import { shownMinute, shownRowTime, shownSecond } from "./shownTime";

const TIME = "2026-11-21T01:02:03.123456789Z";

it("shows times with their zone", () => {
  expect(shownMinute(TIME, "utc")).toBe("2026-11-21 01:02 UTC");
  expect(shownSecond(TIME, "utc")).toBe("2026-11-21 01:02:03 UTC");
  expect(shownRowTime(TIME, "utc")).toBe("Nov 21 01:02:03.123");
  expect(shownRowTime("soon", "utc")).toBe("soon");
  vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(-90);
  expect(shownSecond(TIME, "local")).toBe("2026-11-21 02:32:03 +01:30");
  expect(shownSecond("soon", "utc")).toBe("soon");
});
