// @vitest-environment jsdom
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, it } from "vitest";
import { hiddenCharacters } from "./hiddenCharacters";

it.each([
  ["payment\u00a0failed", "payment\\xA0failed"],
  ["a\u3000b\u200bc", "a\\u3000b\\u200Bc"],
  ["a b", "a b"],
])("draws signs in %j, also for spaces that separate no words", (query, drawn) => {
  const editor = new EditorView({
    state: EditorState.create({ doc: query, extensions: [hiddenCharacters] }),
  });
  expect(editor.contentDOM.textContent).toBe(drawn);
  editor.destroy();
});
