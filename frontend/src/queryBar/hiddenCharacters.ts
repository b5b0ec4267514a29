import { RangeSetBuilder } from "@codemirror/state";
import type { DecorationSet, ViewUpdate } from "@codemirror/view";
import { Decoration, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import { pieces, signOf } from "../text/signs";
import styles from "./QueryEditor.module.css";

/** Spaces outside ASCII, such as the no-break space. They do not separate words of a query, and look as if they did. */
const WIDE_SPACES = /(?! )\p{Zs}/gu;

/** Draws signs for the query's hidden characters and wide spaces, which a query pasted from a log can hold. */
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
  const add = (text: string, sign: string, from: number) =>
    builder.add(from, from + text.length, Decoration.replace({ widget: new SignWidget(sign) }));
  for (const { text, sign, from } of pieces(view.state.doc.toString())) {
    if (sign !== null) add(text, sign, from);
    else
      for (const { 0: space, index } of text.matchAll(WIDE_SPACES)) add(space, signOf(space), from + index);
  }
  return builder.finish();
}
