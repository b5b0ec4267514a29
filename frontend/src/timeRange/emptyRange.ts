/** What the page says in the places of results, counts and fields when a range contains no time. */
export const EMPTY_RANGE =
  "The time range is empty: its end is not after its start. Choose a range that ends later.";
