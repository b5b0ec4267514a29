import type { Matcher, TextRange } from "../language/matchRanges";

/**
 * Returns a function that finds the matches in a part of a text. It takes the matches of the whole text, because a
 * phrase may span several parts.
 */
export function spanMatcher(matches: readonly TextRange[], { from, to }: TextRange): Matcher {
  const inside = matches
    .filter((match) => match.from < to && match.to > from)
    .map((match) => ({ from: Math.max(match.from, from) - from, to: Math.min(match.to, to) - from }));
  return () => inside;
}
