/**
 * Gives each row in the page a slot, which is the row's identity for React. A row keeps its slot. With reuse, a row that
 * comes into view takes the slot of a row that went out of view: its elements are filled anew, which costs less than
 * to remove one row and to make another.
 */
export class RowSlots {
  private slots: ReadonlyMap<string, number> = new Map();
  private unused = 0;

  /** Returns the slot of each row, by the ids of all rows that are in the page now. */
  assign(ids: readonly string[], isReusing: boolean): ReadonlyMap<string, number> {
    const present = new Set(ids);
    const free = isReusing
      ? [...this.slots].flatMap(([id, slot]) => (present.has(id) ? [] : slot)).reverse()
      : [];
    const before = this.slots;
    this.slots = new Map(ids.map((id) => [id, before.get(id) ?? free.pop() ?? this.unused++]));
    return this.slots;
  }
}
