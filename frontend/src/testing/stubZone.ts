import { vi } from "vitest";

const DAY_MS = 86_400_000;
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+$/;

/**
 * Makes `Date` read and write local times in this zone, until `vi.unstubAllGlobals`. Tests run in threads, where
 * `process.env.TZ` has no effect.
 */
export function stubZone(timeZone: string): void {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });

  /** Returns the minutes by which the zone's clocks are ahead of UTC at an instant. */
  const minutesAhead = (time: number): number => {
    const name = format.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign = "+", hours = "0", minutes = "0"] = /^GMT([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  };

  /** Returns the first instant at which the zone's clocks show this time. */
  const instantOf = (local: string): number => {
    const shown = Date.parse(`${local}Z`);
    const atOffset = (minutes: number) => shown - minutes * 60_000;
    const before = atOffset(minutesAhead(shown - DAY_MS));
    const after = atOffset(minutesAhead(shown + DAY_MS));
    return before + minutesAhead(before) * 60_000 === shown ? before : after;
  };

  class ZonedDate extends Date {
    constructor(value: number | string = Date.now()) {
      super(typeof value === "string" && LOCAL_TIME.test(value) ? instantOf(value) : value);
    }

    override getTimezoneOffset(): number {
      return -minutesAhead(this.getTime());
    }
  }
  vi.stubGlobal("Date", ZonedDate);
}
