import type { Matcher } from "../language/matchRanges";
import { linkRuns } from "./linkRanges";
import { type Segment, segments } from "./segments";

/** A web address, or the text between two addresses, with its matched parts. */
export interface LinkedRun {
  readonly from: number;
  readonly href: string | null;
  readonly segments: readonly Segment[];
}

/** Splits a text into web addresses and the text between them. Matches are found once, in the whole text. */
export function linkedSegments(text: string, matcher: Matcher): LinkedRun[] {
  const all = segments(text, matcher);
  let next = 0;
  return linkRuns(text).map(({ from, to, href }) => {
    const parts: Segment[] = [];
    for (let segment = all[next]; segment !== undefined; segment = all[next]) {
      const end = segment.from + segment.text.length;
      const start = Math.max(segment.from, from);
      parts.push({ ...segment, text: text.slice(start, Math.min(end, to)), from: start });
      if (end > to) break;
      next += 1;
      if (end === to) break;
    }
    return { from, href, segments: parts };
  });
}
