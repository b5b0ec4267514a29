// @vitest-environment jsdom
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { expect, it } from "vitest";
import { editorExtensions, setText } from "./editorExtensions";

const HOOKS = { run: () => {}, fields: () => new Map(), lookUpValues: async () => [] };

function editorWith(doc: string): EditorView {
  return new EditorView({ state: EditorState.create({ doc, extensions: editorExtensions(HOOKS, {}) }) });
}

const BREAKS = ["\n", "\r\n", "\r", "\r\n\r\n"];

it.each(BREAKS)("keeps %j in a query of the address or of a filter", (lineBreak) => {
  const query = `stack:"Boom${lineBreak}  at main()"`;
  expect(editorWith(query).state.doc.toString()).toBe(query);
  const editor = editorWith("");
  setText(editor, query);
  expect(editor.state.doc.toString()).toBe(query);
});

it.each(BREAKS)("takes %j for a space where a user types or pastes it", (lineBreak) => {
  const query = 'stack:"Boom\n  at main()"';
  const editor = editorWith(query);
  const changes = { from: query.length, insert: `${lineBreak}more${lineBreak}words` };
  editor.dispatch({ changes, userEvent: "input.paste" });
  expect(editor.state.doc.toString().replaceAll(/ +more +words/g, " more words")).toBe(`${query} more words`);
});
