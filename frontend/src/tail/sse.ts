import { createParser } from "eventsource-parser";

/** One event of a stream of Server-Sent Events. An event without a name is called "message". */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/**
 * Splits text that arrives in pieces into events (HTML standard, section 9.2.6), and remembers the id of the last
 * complete event.
 */
export class EventParser {
  #lastId: string | null;
  readonly #events: ServerEvent[] = [];
  readonly #parser = createParser({
    onId: (id) => {
      this.#lastId = id;
    },
    onEvent: ({ event, data }) => {
      this.#events.push({ name: event ?? "message", data });
    },
  });

  constructor(lastId: string | null = null) {
    this.#lastId = lastId;
  }

  /** Id of the last event that arrived completely. Heartbeats count; an event that was cut off does not. */
  get lastId(): string | null {
    return this.#lastId;
  }

  /** Returns the events that `text` completes. */
  push(text: string): ServerEvent[] {
    this.#parser.feed(text);
    return this.#events.splice(0);
  }
}
