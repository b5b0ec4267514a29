import { useMemo, useState } from "react";
import { prettyJson } from "../api/logJson";
import { formatBytes } from "../format/quantity";
import { createMatcher } from "../language/matchRanges";
import { positiveTerms } from "../language/positiveTerms";
import { setPreferences, usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { Button, IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Icon } from "../ui/Icon";
import styles from "./DetailPanel.module.css";
import { LinkedText } from "./LinkedText";
import { hasStackTrace } from "./stackTrace";

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
  const matcher = useMemo(() => createMatcher(positiveTerms(query)), [query]);
  const { wrapMessage } = usePreferences();
  return (
    <section aria-label="Message">
      <div className={styles.groupHead}>
        <h3>Message</h3>
        {pretty !== null && (
          <Button size="small" tone="ghost" pressed={!isRaw} onClick={() => setRaw(!isRaw)}>
            Format JSON
          </Button>
        )}
        <IconButton
          label="Wrap long lines"
          pressed={wrapMessage}
          data-testid={testIds.wrapMessage}
          onClick={() => setPreferences({ wrapMessage: !wrapMessage })}
        >
          <Icon name="wrap" />
        </IconButton>
        <CopyButton label="Copy message" text={() => body} />
      </div>
      {body === "" ? (
        <p className={styles.note}>This record has no message.</p>
      ) : (
        <pre
          className={styles.body}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a long message is scrolled by keys only where it can have the focus
          tabIndex={0}
          data-wrapped={wrapMessage}
          data-trace={hasStackTrace(shown)}
          data-testid={testIds.detailBody}
        >
          <LinkedText text={shown} matcher={matcher} />
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
