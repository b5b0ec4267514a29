import type { Matcher, TextRange } from "../language/matchRanges";
import type { TextSpan } from "./jsonNode";

/** Returns a matcher for a part of a text, given the matches of the whole text: a phrase may match over several parts. */
export function spanMatcher(matches: readonly TextRange[], { from, to }: TextSpan): Matcher {
  const inside = matches
    .filter((match) => match.from < to && match.to > from)
    .map((match) => ({ from: Math.max(match.from, from) - from, to: Math.min(match.to, to) - from }));
  return () => inside;
}
