import { useMemo, useState } from "react";
import { formatBytes } from "../format/quantity";
import { createMatcher } from "../language/matchRanges";
import { positiveTerms } from "../language/positiveTerms";
import { MarkedText } from "../results/MarkedText";
import { segments } from "../results/rowText";
import { testIds } from "../testIds";
import { Button } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import styles from "./DetailPanel.module.css";
import { prettyJson } from "./prettyBody";

interface BodyViewProps {
  readonly body: string;
  readonly truncatedBytes: number;
  readonly query: string;
}

/** The whole message, with what the query found in it marked. */
export function BodyView({ body, truncatedBytes, query }: BodyViewProps) {
  const [isRaw, setRaw] = useState(false);
  const pretty = useMemo(() => prettyJson(body), [body]);
  const shown = isRaw ? body : (pretty ?? body);
  const parts = useMemo(() => segments(shown, createMatcher(positiveTerms(query))), [shown, query]);
  return (
    <section aria-label="Message">
      <div className={styles.groupHead}>
        <h3>Message</h3>
        {pretty !== null && (
          <Button size="small" tone="ghost" pressed={!isRaw} onClick={() => setRaw(!isRaw)}>
            Format JSON
          </Button>
        )}
        <CopyButton label="Copy message" text={() => body} />
      </div>
      {body === "" ? (
        <p className={styles.note}>This record has no message.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long message is scrolled by keys only where it can have the focus
        <pre className={styles.body} tabIndex={0} data-testid={testIds.detailBody}>
          <MarkedText segments={parts} />
        </pre>
      )}
      {truncatedBytes > 0 && (
        <p className={styles.truncated}>
          The end of this message, {formatBytes(truncatedBytes)}, was cut when it was stored.
        </p>
      )}
    </section>
  );
}
