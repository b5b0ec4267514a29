import { useMemo } from "react";
import type { Matcher } from "../language/matchRanges";
import { Marks } from "../results/MarkedText";
import { linkedSegments } from "./linkedSegments";

interface LinkedTextProps {
  readonly text: string;
  readonly matcher: Matcher;
  /** True in a tree, which is one Tab stop: its links are no stops of their own. */
  readonly isInTree?: boolean;
}

/** A whole logged text, with its matches marked and its web addresses as links. The address is all that is logged. */
export function LinkedText({ text, matcher, isInTree = false }: LinkedTextProps) {
  const runs = useMemo(() => linkedSegments(text, matcher), [text, matcher]);
  return (
    <bdi>
      {runs.map(({ from, href, segments }) => {
        const marks = <Marks key={from} segments={segments} />;
        if (href === null) return marks;
        return (
          <a
            key={from}
            href={href}
            target="_blank"
            rel="noopener noreferrer nofollow"
            tabIndex={isInTree ? -1 : undefined}
          >
            {marks}
          </a>
        );
      })}
    </bdi>
  );
}
