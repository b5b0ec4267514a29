import type { paths } from "./schema";

/** JSON of a path's 200 answer. Derived from the path, so that renamed schemas of the backend change nothing here. */
type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

export type UiSession =
  paths["/api/v1/ui/session"]["post"]["responses"]["200"]["content"]["application/json"];
export type Tenant = Answer<"/api/v1/tenant">;
export type SearchPage = Answer<"/api/v1/logs/search">;
export type Log = SearchPage["logs"][number];
export type SearchStats = SearchPage["stats"];
export type Context = Answer<"/api/v1/logs/{id}/context">;
export type HistogramAnswer = Answer<"/api/v1/logs/histogram">;
export type Explanation = Answer<"/api/v1/logs/explain">;
export type IndexUse = Explanation["indexes"][number];
export type Analysis = NonNullable<Explanation["analysis"]>;
export type StatementAnalysis = Analysis["statements"][number];
export type FieldList = Answer<"/api/v1/logs/fields">;
export type FieldCount = FieldList["fields"][number];
export type FieldValues = Answer<"/api/v1/logs/fields/{name}/values">;
