import { answer, createApiClient, done } from "./apiClient";
import type {
  AdminKey,
  AdminTenant,
  AttributeRule,
  AuditPage,
  BodyRedaction,
  ChangedTenant,
  CreatedKey,
  KeyPurpose,
  Limits,
  StorageReport,
} from "./types";

/** Values of a tenant that only an operator may change. A value that is left out stays as it is. */
export interface TenantChanges {
  readonly retention_days?: number;
  readonly body_max_bytes?: number;
  readonly limits?: Partial<Limits>;
}

export interface NewKey {
  readonly purpose: KeyPurpose;
  readonly label: string;
  /** RFC 3339; null for a key that does not expire. */
  readonly expiresAt: string | null;
}

export interface NewRule {
  readonly name: string;
  readonly isPrefix: boolean;
  readonly action: "drop" | "mask";
}

/**
 * Client of the API's routes that manage one tenant. Every method rejects with an ApiProblem, or with the signal's
 * abort.
 */
export interface AdminApi {
  /** Returns the tenants that the key may see: all for an operator's key, otherwise only its own. */
  tenants(signal?: AbortSignal): Promise<readonly AdminTenant[]>;
  change(changes: TenantChanges): Promise<ChangedTenant>;
  keys(signal: AbortSignal): Promise<readonly AdminKey[]>;
  createKey(key: NewKey): Promise<CreatedKey>;
  /** Changes the label of a key; an empty one removes it. */
  labelKey(id: string, label: string): Promise<void>;
  revokeKey(id: string): Promise<void>;
  rules(signal: AbortSignal): Promise<readonly AttributeRule[]>;
  setRule(rule: NewRule): Promise<void>;
  removeRule(name: string, isPrefix: boolean): Promise<void>;
  /** Adds the recommended rules. Returns how many were added. */
  addRecommendedRules(): Promise<number>;
  redactions(signal: AbortSignal): Promise<readonly BodyRedaction[]>;
  /** Adds or replaces a redaction. With null as the expression, the name is that of a built-in redaction. */
  setRedaction(name: string, expression: string | null): Promise<void>;
  removeRedaction(name: string): Promise<void>;
  /** Returns disk use and fair shares: of all tenants for an operator's key, otherwise of its own. */
  storage(signal: AbortSignal): Promise<StorageReport>;
  /** Returns a page of the audit log, newest entries first. */
  audit(cursor: string | null, signal: AbortSignal): Promise<AuditPage>;
}

const AUDIT_PAGE = 50;

/** Returns an API client that sends this admin key and manages the tenant of that name. */
export function createAdminApi(key: string, tenant: string): AdminApi {
  const client = createApiClient(key);
  const path = { name: tenant };
  return {
    tenants: async (signal) =>
      (await answer(client.GET("/api/v1/admin/tenants", { signal: signal ?? null }))).tenants,
    change: (changes) =>
      answer(client.PATCH("/api/v1/admin/tenants/{name}", { params: { path }, body: changes })),
    keys: async (signal) =>
      (await answer(client.GET("/api/v1/admin/tenants/{name}/keys", { params: { path }, signal }))).keys,
    createKey: ({ purpose, label, expiresAt }) =>
      answer(
        client.POST("/api/v1/admin/tenants/{name}/keys", {
          params: { path },
          body: { purpose, label, ...(expiresAt === null ? {} : { expires_at: expiresAt }) },
        }),
      ),
    labelKey: (id, label) =>
      done(
        client.PATCH("/api/v1/admin/tenants/{name}/keys/{key_id}", {
          params: { path: { ...path, key_id: id } },
          body: { label },
        }),
      ),
    revokeKey: (id) =>
      done(
        client.DELETE("/api/v1/admin/tenants/{name}/keys/{key_id}", {
          params: { path: { ...path, key_id: id } },
        }),
      ),
    rules: async (signal) =>
      (await answer(client.GET("/api/v1/admin/tenants/{name}/attribute-rules", { params: { path }, signal })))
        .rules,
    setRule: ({ name, isPrefix, action }) =>
      done(
        client.PUT("/api/v1/admin/tenants/{name}/attribute-rules", {
          params: { path },
          body: { name, is_prefix: isPrefix, action },
        }),
      ),
    removeRule: (name, isPrefix) =>
      done(
        client.DELETE("/api/v1/admin/tenants/{name}/attribute-rules", {
          params: { path, query: { name, is_prefix: isPrefix } },
        }),
      ),
    addRecommendedRules: async () =>
      (
        await answer(
          client.POST("/api/v1/admin/tenants/{name}/attribute-rules/recommended", { params: { path } }),
        )
      ).added,
    redactions: async (signal) =>
      (await answer(client.GET("/api/v1/admin/tenants/{name}/body-redactions", { params: { path }, signal })))
        .redactions,
    setRedaction: (name, expression) =>
      done(
        client.PUT("/api/v1/admin/tenants/{name}/body-redactions/{redaction}", {
          params: { path: { ...path, redaction: name } },
          body: expression === null ? {} : { expression },
        }),
      ),
    removeRedaction: (name) =>
      done(
        client.DELETE("/api/v1/admin/tenants/{name}/body-redactions/{redaction}", {
          params: { path: { ...path, redaction: name } },
        }),
      ),
    storage: (signal) => answer(client.GET("/api/v1/admin/storage", { signal })),
    audit: (cursor, signal) => {
      const query = { tenant, limit: AUDIT_PAGE, ...(cursor === null ? {} : { cursor }) };
      return answer(client.GET("/api/v1/admin/audit", { params: { query }, signal }));
    },
  };
}
