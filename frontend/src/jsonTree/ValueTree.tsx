import { type ReactNode, useMemo } from "react";
import type { FilterBy } from "../language/editQuery";
import type { Matcher } from "../language/matchRanges";
import { JsonTree } from "./JsonTree";
import { readJson } from "./jsonNode";
import type { RecordMember } from "./nodeActions";

export interface ValueTreeProps {
  readonly label: string;
  /** A JSON object or array. */
  readonly source: string;
  readonly member: RecordMember;
  /** Finds what the query matches in the source. */
  readonly matcher: Matcher;
  /** Content to show if the source is not readable JSON. */
  readonly fallback: ReactNode;
  readonly onFilter: FilterBy;
  readonly onTerm: (term: string) => void;
}

/** A JSON text as a tree. */
export function ValueTree({ source, matcher, fallback, ...tree }: ValueTreeProps) {
  const nodes = useMemo(() => readJson(source), [source]);
  const matches = useMemo(() => matcher(source), [matcher, source]);
  if (nodes === null) return fallback;
  return <JsonTree key={source} source={source} nodes={nodes} matches={matches} {...tree} />;
}
