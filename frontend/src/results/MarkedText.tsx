import type { Segment } from "./rowText";

/** Text with its matched parts marked. Always text: React escapes it, whatever a log contains. */
export function MarkedText({ segments }: { segments: readonly Segment[] }) {
  return segments.map(({ text, isMatch, from }) =>
    isMatch ? <mark key={from}>{text}</mark> : <span key={from}>{text}</span>,
  );
}
