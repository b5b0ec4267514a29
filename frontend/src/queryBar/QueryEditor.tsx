import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef } from "react";
import type { KnownFields } from "../language/knownFields";
import { trimQuery } from "../language/tokenize";
import { testIds } from "../testIds";
import { editorExtensions, type LookUpValues, setText } from "./editorExtensions";
import { showProblem } from "./problemMark";
import styles from "./QueryEditor.module.css";

export interface QueryEditorHandle {
  text(): string;
  /** Replaces the text, also if it was typed but not run. */
  set(text: string): void;
  /** Adds an example at the end of the text, and puts the cursor there. */
  append(text: string): void;
  focus(): void;
}

interface QueryEditorProps {
  /** The query that was run last. Text that is typed but not run is in the editor alone. */
  readonly query: string;
  readonly fields: () => KnownFields;
  readonly lookUpValues: LookUpValues;
  readonly problemPosition: number | null;
  readonly describedBy: string;
  readonly onRun: (query: string) => void;
  readonly ref: Ref<QueryEditorHandle>;
}

export function QueryEditor(props: QueryEditorProps) {
  const { query, fields, lookUpValues, problemPosition, describedBy, onRun, ref } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const run = useEffectEvent(onRun);
  const currentFields = useEffectEvent(fields);
  const lookUp = useEffectEvent(lookUpValues);
  const initialText = useEffectEvent(() => query);

  useEffect(() => {
    if (parent.current === null) return;
    const attributes = {
      "aria-label": "Query",
      "aria-describedby": describedBy,
      "data-testid": testIds.queryInput,
      spellcheck: "false",
      autocapitalize: "off",
    };
    const editor = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: initialText(),
        extensions: editorExtensions(
          {
            run: (text) => run(text),
            fields: () => currentFields(),
            lookUpValues: (field, typed) => lookUp(field, typed),
          },
          attributes,
        ),
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = null;
    };
  }, [describedBy]);

  // React does not control the editor's text, so a new query in the URL is put into the editor here.
  useEffect(() => showText(view.current, query), [query]);

  useEffect(() => {
    view.current?.dispatch({ effects: showProblem.of(problemPosition) });
  }, [problemPosition]);

  useImperativeHandle(ref, () => ({
    text: () => view.current?.state.doc.toString() ?? "",
    set: (text) => showText(view.current, text),
    append: (text) => {
      const editor = view.current;
      if (editor === null) return;
      const written = trimQuery(editor.state.doc.toString());
      setText(editor, written === "" ? text : `${written} ${text}`);
      editor.focus();
    },
    focus: () => view.current?.focus(),
  }));

  return <div ref={parent} className={styles.editor} />;
}

/** Replaces the editor's text. If the text is the same, the cursor stays where it is. */
function showText(editor: EditorView | null, text: string): void {
  if (editor !== null && editor.state.doc.toString() !== text) setText(editor, text);
}
