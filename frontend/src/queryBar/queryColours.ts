import type { DecorationSet, ViewUpdate } from "@codemirror/view";
import { Decoration, type EditorView, ViewPlugin } from "@codemirror/view";
import { tokenize } from "../language/tokenize";
import styles from "./QueryEditor.module.css";

const CLASSES = {
  word: undefined,
  phrase: styles.string,
  wildcard: styles.string,
  regex: styles.regex,
  field: styles.field,
  comparison: styles.operator,
  range: styles.string,
  boolean: styles.operator,
  negation: styles.negation,
  open: styles.bracket,
  close: styles.bracket,
} as const;

/** Colours the query's tokens. */
export const queryColours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = colour(view);
    }

    update(update: ViewUpdate) {
      if (update.docChanged) this.decorations = colour(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function colour(view: EditorView): DecorationSet {
  const marks = tokenize(view.state.doc.toString()).flatMap(({ kind, from, to }) => {
    const className = CLASSES[kind];
    return className === undefined ? [] : Decoration.mark({ class: className }).range(from, to);
  });
  return Decoration.set(marks);
}
