import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Alert, AlertMembers } from "../api/types";
import { useSession } from "../session/SessionContext";

/** First part of the cache keys of everything about alert rules. */
const ALERTS = "alerts";
/** Milliseconds between two reads of states, which change about every minute. */
const REFRESH_MS = 15_000;

export function useAlertList() {
  const { alerts, tenant } = useSession();
  return useQuery({
    queryKey: [ALERTS, tenant],
    queryFn: ({ signal }) => alerts.list(signal),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });
}

/** Queries a rule with its pending and firing groups. */
export function useAlertStatus(id: string) {
  const { alerts, tenant } = useSession();
  return useQuery({
    queryKey: [ALERTS, tenant, id],
    queryFn: ({ signal }) => alerts.status(id, signal),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });
}

/** Queries the rule's changes of state and its notices. */
export function useAlertHistory(id: string) {
  const { alerts, tenant } = useSession();
  return useQuery({
    queryKey: [ALERTS, tenant, id, "history"],
    queryFn: ({ signal }) => alerts.history(id, signal),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });
}

/** A change of a rule; `alert` is null for a new one. */
export interface AlertChange {
  readonly alert: Alert | null;
  readonly members: AlertMembers;
}

/** Saves a new rule, or replaces a rule. The API refuses to replace a rule that was changed since it was read. */
export function useSaveAlert(onSaved: (alert: Alert) => void) {
  const { alerts } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ alert, members }: AlertChange) =>
      alert === null ? alerts.create(members) : alerts.change(alert.id, alert.revision, members),
    onSuccess: (saved) => {
      onSaved(saved);
      return refresh();
    },
    // After a conflict, reads the changed rule, so that the next attempt replaces its present revision.
    onError: refresh,
  });
}

export function useMuteAlert() {
  const { alerts } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, until }: { id: string; until: string | null }) => alerts.mute(id, until),
    onSuccess: refresh,
  });
}

export function useTestAlert() {
  const { alerts } = useSession();
  const refresh = useRefresh();
  return useMutation({ mutationFn: (id: string) => alerts.test(id), onSuccess: refresh });
}

export function useDeleteAlert(onDeleted: () => void) {
  const { alerts } = useSession();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, revision }: Alert) => alerts.remove(id, revision),
    onSuccess: () => {
      onDeleted();
      return refresh();
    },
    onError: refresh,
  });
}

function useRefresh(): () => Promise<void> {
  const { tenant } = useSession();
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: [ALERTS, tenant] });
}
