import { useMemo } from "react";
import type { Matcher } from "../language/matchRanges";
import { linkedSegments } from "./linkedSegments";
import { Marks } from "./MarkedText";

interface LinkedTextProps {
  readonly text: string;
  readonly matcher: Matcher;
  /** True inside a tree, which is a single Tab stop: links in it are not Tab stops. */
  readonly isInTree?: boolean;
}

/** Shows a whole logged text, with its matches marked and its web addresses as links. A link's text is its address. */
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
