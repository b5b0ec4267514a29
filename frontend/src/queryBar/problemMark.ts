import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { problemRange } from "./problemRange";
import styles from "./QueryEditor.module.css";

/** Underlines the place of a query error, at the position from the API. Null removes the underline. */
export const showProblem = StateEffect.define<number | null>();

export const problemMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(showProblem)) return markAt(transaction.newDoc.toString(), effect.value);
    }
    // The underline belongs to the text that was run, so an edit removes it.
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function markAt(text: string, position: number | null): DecorationSet {
  if (position === null || text === "") return Decoration.none;
  const { from, to } = problemRange(text, position);
  return Decoration.set([Decoration.mark({ class: styles.problem ?? "" }).range(from, to)]);
}
