import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { type AdminApi, createAdminApi } from "../api/adminClient";
import { requireKeyText } from "../api/keyText";
import type { AdminTenant } from "../api/types";
import { ADMIN_QUERIES } from "../session/adminKey";

/** Name of the tenant whose admin keys manage the whole installation. */
const OPERATOR = "_operator";

/** Rights of an admin key on the signed-in tenant. */
export interface Admin {
  readonly api: AdminApi;
  readonly tenant: AdminTenant;
  /** True for a key that may change limits and retention. */
  readonly isOperator: boolean;
}

/** Names of the tenants that an admin key belongs to, if the signed-in tenant is not among them. */
export interface Elsewhere {
  readonly belongsTo: string;
}

/**
 * Returns the rights of the key on the tenant of that name, or the tenants that the key belongs to instead. Rejects
 * with the API's problem for a key that is no valid admin key.
 */
export async function openAdmin(key: string, name: string, signal?: AbortSignal): Promise<Admin | Elsewhere> {
  requireKeyText(key);
  const api = createAdminApi(key, name);
  const seen = await api.tenants(signal);
  const tenant = seen.find((each) => each.name === name);
  if (tenant === undefined) return { belongsTo: seen.map((each) => each.name).join(", ") };
  return { api, tenant, isOperator: seen.some((each) => each.name === OPERATOR) };
}

export function isElsewhere(admin: Admin | Elsewhere): admin is Elsewhere {
  return "belongsTo" in admin;
}

/** Milliseconds between two requests while a new retention has not taken effect. */
const CHANGING_MS = 2_000;

/** Returns the cache key of the rights on a tenant. */
export function openAdminKey(tenant: string) {
  return [ADMIN_QUERIES, "open", tenant] as const;
}

export function useOpenAdmin(key: string | null, tenant: string) {
  return useQuery({
    queryKey: openAdminKey(tenant),
    queryFn: ({ signal }) => openAdmin(key ?? "", tenant, signal),
    enabled: key !== null,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) => data !== undefined && isChanging(data) && CHANGING_MS,
  });
}

function isChanging(admin: Admin | Elsewhere): boolean {
  return !isElsewhere(admin) && admin.tenant.cohort !== admin.tenant.cohort_in_force;
}

export const AdminContext = createContext<Admin | null>(null);

/** Returns the rights of the admin key. Only components below AdminGate may call it. */
export function useAdmin(): Admin {
  const admin = useContext(AdminContext);
  if (admin === null) throw new Error("useAdmin is used outside AdminGate");
  return admin;
}
