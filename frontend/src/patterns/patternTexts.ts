import type { PatternsAnswer } from "../api/types";
import { formatCount, plural } from "../format/quantity";

/** Returns a sentence that says how many patterns are shown, and how many logs were grouped. */
export function summaryText({ sampled, matching, is_estimate, found, patterns }: PatternsAnswer): string {
  const shown =
    found > patterns.length
      ? `${formatCount(patterns.length)} of ${plural(found, "pattern")}`
      : plural(found, "pattern");
  if (!is_estimate) return `${shown} in ${plural(sampled, "log")}`;
  const sample =
    matching === null
      ? `the newest ${formatCount(sampled)} logs`
      : `a sample of ${formatCount(sampled)} of ${formatCount(matching)} logs`;
  return `${shown} in ${sample}: shares are estimates`;
}

/** Writes a share in percent. An estimate begins with "~". */
export function shareText(share: number, isEstimate: boolean): string {
  const percent = share * 100;
  const digits = percent >= 10 || percent === 0 ? 0 : percent >= 0.1 ? 1 : 2;
  return `${isEstimate ? "~" : ""}${percent.toFixed(digits)}%`;
}
