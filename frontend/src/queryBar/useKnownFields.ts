import type { Log } from "../api/types";
import { type KnownFields, knownFields, withNames } from "../language/knownFields";
import { useLatest } from "../ui/useLatest";

/**
 * Returns a function, the same in all renders, that returns the fields for completion: those of the loaded records, then
 * the other fields that the server has counted.
 */
export function useKnownFields(
  logs: readonly Log[],
  counted: readonly { readonly name: string }[],
): () => KnownFields {
  return useLatest(() =>
    withNames(
      knownFields(logs),
      counted.map(({ name }) => name),
    ),
  );
}
