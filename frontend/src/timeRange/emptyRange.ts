/** Text shown instead of results for a range that contains no time. */
export const EMPTY_RANGE =
  "The time range is empty: its end is not after its start. Choose a range that ends later.";
