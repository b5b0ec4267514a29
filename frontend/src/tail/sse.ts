/** One event of a stream of Server-Sent Events; `id` is the last one seen, also where this event has none of its own. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | null;
}

/** Splits text that comes in pieces into events (HTML standard, section 9.2.6). An event without data is none. */
export class EventParser {
  #rest = "";
  #name = "";
  #data: string[] = [];
  #id: string | null;
  #lastId: string | null;

  constructor(lastId: string | null = null) {
    this.#id = lastId;
    this.#lastId = lastId;
  }

  /** The id of the last event that came whole, heartbeats among them: one that was cut is to come again. */
  get lastId(): string | null {
    return this.#lastId;
  }

  push(text: string): ServerEvent[] {
    const all = this.#rest + text;
    // A carriage return at the end may be half of a line's end.
    const whole = all.endsWith("\r") ? all.slice(0, -1) : all;
    const lines = whole.split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? "") + all.slice(whole.length);
    return lines.map((line) => this.#take(line)).filter((event) => event !== null);
  }

  #take(line: string): ServerEvent | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#name = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return null;
  }

  #dispatch(): ServerEvent | null {
    const event = { name: this.#name || "message", data: this.#data.join("\n"), id: this.#id };
    const isEvent = this.#data.length > 0;
    this.#lastId = this.#id;
    this.#name = "";
    this.#data = [];
    return isEvent ? event : null;
  }
}
