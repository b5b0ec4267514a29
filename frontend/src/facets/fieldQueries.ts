import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { LogsApi } from "../api/logsApi";
import type { FieldList } from "../api/types";
import type { LookUpValues } from "../queryBar/editorExtensions";
import { useSession } from "../session/SessionContext";
import { requiredWindow, windowKey } from "../time/queryWindow";
import type { TimeWindow } from "../time/timeExpression";
import { countInRange } from "./countInRange";

/** The fields of matching records, or why there are none. */
export interface FoundFields {
  readonly data: FieldList | undefined;
  readonly isFetching: boolean;
  readonly error: Error | null;
  /** True if the search was cancelled before its fields arrived. Fields in `data` are those of the previous search. */
  readonly isCancelled: boolean;
}

/**
 * Queries the fields that matching records have. The fields of the previous search stay until the answer arrives. The
 * result stays the same object until one of its members changes.
 */
export function useFieldList(
  query: string,
  window: TimeWindow | null,
  isSearchCancelled: boolean,
): FoundFields {
  const { api, tenant } = useSession();
  const { data, isFetching, isPlaceholderData, error } = useQuery({
    queryKey: ["fields", tenant, query, ...windowKey(window)],
    queryFn: ({ signal }) =>
      countInRange(query, requiredWindow(window), (text, range) =>
        api.fields({ query: text, ...range }, signal),
      ),
    enabled: window !== null,
    placeholderData: keepPreviousData,
  });
  const isCancelled = isSearchCancelled && (data === undefined || isPlaceholderData);
  return useMemo(() => ({ data, isFetching, error, isCancelled }), [data, isFetching, error, isCancelled]);
}

export function useFieldValues(query: string, window: TimeWindow | null, name: string) {
  const { api, tenant } = useSession();
  return useQuery({
    queryKey: ["values", tenant, query, ...windowKey(window), name],
    queryFn: ({ signal }) =>
      countInRange(query, requiredWindow(window), (text, range) =>
        api.fieldValues({ query: text, ...range }, name, "", signal),
      ),
    enabled: window !== null,
    placeholderData: keepPreviousData,
  });
}

/**
 * Returns values for completion, which do not depend on the rest of the query. Returns no values if the request fails.
 */
export function useValueLookup(window: TimeWindow | null): LookUpValues {
  const { api, tenant } = useSession();
  const client = useQueryClient();
  return useCallback(
    async (field, typed) => {
      if (window === null) return [];
      const queryKey = ["completion", tenant, ...windowKey(window), field, typed];
      try {
        return await client.query({ queryKey, queryFn: () => valuesOf(api, window, field, typed) });
      } catch {
        return [];
      }
    },
    [api, client, tenant, window],
  );
}

async function valuesOf(api: LogsApi, window: TimeWindow, field: string, typed: string): Promise<string[]> {
  const answer = await api.fieldValues({ query: "", ...window }, field, typed);
  return answer.values.map(({ value }) => value);
}
