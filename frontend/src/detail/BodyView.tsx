import { useMemo, useState } from "react";
import { isJsonTree } from "../api/logJson";
import { formatBytes } from "../format/quantity";
import { LazyValueTree } from "../jsonTree/LazyValueTree";
import type { FilterBy } from "../language/editQuery";
import { createMatcher, type Matcher } from "../language/matchRanges";
import { positiveTerms } from "../language/positiveTerms";
import { setPreferences, usePreferences } from "../preferences/preferences";
import { testIds } from "../testIds";
import { LinkedText } from "../text/LinkedText";
import { Button, IconButton } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";
import { Icon } from "../ui/Icon";
import styles from "./DetailPanel.module.css";
import { hasStackTrace } from "./stackTrace";

interface BodyViewProps {
  readonly body: string;
  readonly truncatedBytes: number;
  readonly query: string;
  readonly onFilter: FilterBy;
  readonly onTerm: (term: string) => void;
}

/** Shows the whole message, JSON as a tree, and marks the matches of the query. */
export function BodyView({ body, truncatedBytes, query, onFilter, onTerm }: BodyViewProps) {
  const [isRaw, setRaw] = useState(false);
  const isJson = useMemo(() => isJsonTree(body), [body]);
  const matcher = useMemo(() => createMatcher(positiveTerms(query)), [query]);
  const { wrapMessage } = usePreferences();
  const isTree = isJson && !isRaw;
  const text = body === "" ? null : <BodyText body={body} matcher={matcher} isWrapped={wrapMessage} />;
  return (
    <section aria-label="Message">
      <div className={styles.groupHead}>
        <h3>Message</h3>
        {isJson && (
          <Button size="small" tone="ghost" pressed={!isRaw} onClick={() => setRaw(!isRaw)}>
            Format JSON
          </Button>
        )}
        {!isTree && (
          <IconButton
            label="Wrap long lines"
            pressed={wrapMessage}
            data-testid={testIds.wrapMessage}
            onClick={() => setPreferences({ wrapMessage: !wrapMessage })}
          >
            <Icon name="wrap" />
          </IconButton>
        )}
        <CopyButton label="Copy message" text={() => body} />
      </div>
      {isTree ? (
        <div className={styles.bodyTree} data-testid={testIds.detailBody}>
          <LazyValueTree
            label="Message"
            source={body}
            member="body"
            matcher={matcher}
            fallback={text}
            onFilter={onFilter}
            onTerm={onTerm}
          />
        </div>
      ) : (
        (text ?? <p className={styles.note}>This record has no message.</p>)
      )}
      {truncatedBytes > 0 && (
        <p className={styles.truncated}>
          The end of this message, {formatBytes(truncatedBytes)}, was cut when it was stored.
        </p>
      )}
    </section>
  );
}

interface BodyTextProps {
  readonly body: string;
  readonly matcher: Matcher;
  readonly isWrapped: boolean;
}

function BodyText({ body, matcher, isWrapped }: BodyTextProps) {
  return (
    <pre
      className={styles.body}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long message is scrolled by keys only where it can have the focus
      tabIndex={0}
      data-wrapped={isWrapped}
      data-trace={hasStackTrace(body)}
      data-testid={testIds.detailBody}
    >
      <LinkedText text={body} matcher={matcher} />
    </pre>
  );
}
