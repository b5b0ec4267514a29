import { useState } from "react";

/**
 * The query that is tailed, null while none is, and the way to set it. A tail ends when the page's query changes to
 * another one: that is another question, whose tail begins when somebody asks for it. The tail of a typed query may
 * begin before the URL has that query.
 */
export function useTailedQuery(query: string): readonly [string | null, (tailed: string | null) => void] {
  const [tailed, setTailed] = useState<string | null>(null);
  const [lastQuery, setLastQuery] = useState(query);
  if (query !== lastQuery) {
    setLastQuery(query);
    if (tailed !== query) setTailed(null);
  }
  return [tailed, setTailed];
}
