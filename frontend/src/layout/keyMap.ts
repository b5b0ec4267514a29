export interface KeyHint {
  /** The keys as docs/web-ui.md writes them; names of keys are separated by commas. */
  readonly keys: string;
  /** The part of the page that must have the focus for the keys to work. */
  readonly where: string;
  readonly does: string;
}

/** All keys of the page. A test compares them with docs/web-ui.md. */
export const KEY_MAP: readonly KeyHint[] = [
  { keys: "?", where: "outside text fields", does: "shows these keys" },
  { keys: "/", where: "outside text fields", does: "focuses the query" },
  { keys: "Enter", where: "query", does: "runs it" },
  { keys: "Tab", where: "query", does: "accepts the suggestion" },
  { keys: "Escape", where: "query", does: "moves the focus to the results" },
  { keys: "Up, Down", where: "empty query", does: "recall earlier and later queries of this browser" },
  {
    keys: "Tab, Enter",
    where: "top of the page",
    does: "skips the navigation and goes to the results, or to the page content",
  },
  {
    keys: "j, k",
    where: "outside text fields",
    does: "open the next and the previous record; if none is open, the first and the last",
  },
  {
    keys: "Up, Down, Page Up, Page Down, Home, End",
    where: "results",
    does: "move; Enter opens the record, and the focus goes to it",
  },
  { keys: "Escape", where: "anywhere", does: "cancels a running search, then closes the open record" },
  { keys: "Up, Down, Home, End", where: "fields", does: "move between fields, values and their buttons" },
  { keys: "Right, Left", where: "a field", does: "opens and closes its values" },
  {
    keys: "Up, Down, Home, End",
    where: "attributes or JSON of a record",
    does: "move; Right and Left unfold and fold, Enter opens the actions",
  },
  { keys: "Up, Down, Home, End", where: "logs of a trace", does: "move; Enter opens the record" },
  {
    keys: "Left, Right, Home, End",
    where: "edge of a panel",
    does: "resize the panel; Enter restores its width",
  },
];
