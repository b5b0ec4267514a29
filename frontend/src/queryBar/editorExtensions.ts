import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import {
  acceptCompletion,
  autocompletion,
  completionStatus,
  moveCompletionSelection,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import type { ChangeSpec, Extension } from "@codemirror/state";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { suggest, valueAtCursor } from "../language/complete";
import { type KnownFields, withValues } from "../language/knownFields";
import { earlierQuery, laterQuery, readHistory } from "../session/queryHistory";
import { visibleText } from "../text/signs";
import { focusResults } from "../ui/focusResults";
import { hiddenCharacters } from "./hiddenCharacters";
import { problemMark } from "./problemMark";
import { queryColours } from "./queryColours";

interface EditorHooks {
  readonly run: (query: string) => void;
  readonly fields: () => KnownFields;
  readonly lookUpValues: LookUpValues;
}

/** Returns the frequent values of a field that begin with the typed text, or none when the request fails. */
export type LookUpValues = (field: string, typed: string) => Promise<readonly string[]>;

/** Returns the query editor's behaviour as CodeMirror extensions. */
export function editorExtensions(hooks: EditorHooks, contentAttributes: Record<string, string>): Extension {
  return [
    history(),
    exactText,
    singleLine,
    autocompletion({
      override: [(context) => completeFields(context, hooks)],
      // Enter runs the query. It accepts a suggestion only after the user selected one with the arrow keys.
      selectOnOpen: false,
      icons: false,
    }),
    keymap.of([
      { key: "Enter", run: runQuery(hooks.run) },
      { key: "Mod-Enter", run: runQuery(hooks.run) },
      { key: "Tab", run: acceptFirst },
      { key: "Escape", run: leave },
      { key: "ArrowUp", run: recall(earlierQuery) },
      { key: "ArrowDown", run: recall(laterQuery) },
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    placeholder('word, "a phrase", field:value …'),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of(contentAttributes),
    queryColours,
    hiddenCharacters,
    problemMark,
  ];
}

/** Replaces the whole text and puts the cursor at its end. */
export function setText(view: EditorView, text: string): void {
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    selection: { anchor: text.length },
  });
}

/** Keeps carriage returns. Otherwise the text of a filter for a value with them would change in the editor. */
const exactText = EditorState.lineSeparator.of("\n");

const LINE_BREAK = /\r\n?|\n/g;

/** Replaces line breaks that a user types or pastes. Those in a value that a click filters for are part of the value. */
const singleLine = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.isUserEvent("input")) return transaction;
  const changes: ChangeSpec[] = [];
  transaction.changes.iterChanges((_fromA, _toA, fromB, _toB, inserted) => {
    for (const { 0: found, index } of inserted.toString().matchAll(LINE_BREAK))
      changes.push({ from: fromB + index, to: fromB + index + found.length, insert: " " });
  });
  return changes.length === 0 ? transaction : [transaction, { changes, sequential: true }];
});

function runQuery(run: (query: string) => void) {
  return (view: EditorView) => {
    run(view.state.doc.toString());
    return true;
  };
}

/**
 * Tab accepts the selected suggestion, or the first one. Without suggestions, Tab moves the focus, as accessibility
 * requires.
 */
function acceptFirst(view: EditorView): boolean {
  if (acceptCompletion(view)) return true;
  if (completionStatus(view.state) !== "active") return false;
  moveCompletionSelection(true)(view);
  return acceptCompletion(view);
}

/** Escape moves the focus to the results. It stays unhandled, because it also cancels a running search. */
function leave(): boolean {
  focusResults();
  return false;
}

type Step = (current: string, queries: readonly string[]) => string | null;

/**
 * Steps through the history while the text is empty or comes from the history. Otherwise the arrow keys move the
 * cursor.
 */
function recall(step: Step) {
  return (view: EditorView): boolean => {
    if (completionStatus(view.state) === "active") return false;
    const current = view.state.doc.toString();
    const queries = readHistory();
    if (current !== "" && !queries.includes(current)) return false;
    const next = step(current, queries);
    if (next === null) return false;
    setText(view, next);
    return true;
  };
}

async function completeFields(
  context: CompletionContext,
  hooks: EditorHooks,
): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const value = valueAtCursor(text, context.pos);
  let fields = hooks.fields();
  if (value !== null)
    fields = withValues(fields, value.field, await hooks.lookUpValues(value.field, value.typed));
  const suggestions = suggest(text, context.pos, fields);
  if (suggestions === null) return null;
  return {
    from: suggestions.from,
    filter: false,
    options: suggestions.options.map(({ label, kind, insert }) => ({
      label,
      displayLabel: visibleText(label),
      detail: kind,
      apply: (view, _completion, from, to) => {
        view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
        if (insert.endsWith(":")) startCompletion(view);
      },
    })),
  };
}
