import { RangeSetBuilder } from "@codemirror/state";
import type { DecorationSet, ViewUpdate } from "@codemirror/view";
import { Decoration, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import { pieces } from "../text/signs";
import styles from "./QueryEditor.module.css";

/** Draws signs for the query's hidden characters, which a query pasted from a log can hold. */
export const hiddenCharacters = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = signs(view);
    }

    update(update: ViewUpdate) {
      if (update.docChanged) this.decorations = signs(update.view);
    }
  },
  {
    decorations: (plugin) => plugin.decorations,
    provide: (plugin) =>
      EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
  },
);

class SignWidget extends WidgetType {
  constructor(readonly sign: string) {
    super();
  }

  override eq(other: SignWidget): boolean {
    return other.sign === this.sign;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement("span");
    element.className = styles.sign ?? "";
    element.textContent = this.sign;
    return element;
  }
}

function signs(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { text, sign, from } of pieces(view.state.doc.toString())) {
    if (sign !== null)
      builder.add(from, from + text.length, Decoration.replace({ widget: new SignWidget(sign) }));
  }
  return builder.finish();
}
