import type { Matcher } from "../language/matchRanges";
import { Marks } from "../results/MarkedText";
import { segments } from "../results/rowText";
import { linkRuns } from "../text/linkRanges";

interface LinkedTextProps {
  readonly text: string;
  readonly matcher: Matcher;
}

/** A whole logged text, with its matches marked and its web addresses as links. The address is all that is logged. */
export function LinkedText({ text, matcher }: LinkedTextProps) {
  return (
    <bdi>
      {linkRuns(text).map(({ from, to, href }) => {
        const marks = <Marks key={from} segments={segments(text, matcher, from, to)} />;
        if (href === null) return marks;
        return (
          <a key={from} href={href} target="_blank" rel="noopener noreferrer nofollow">
            {marks}
          </a>
        );
      })}
    </bdi>
  );
}
