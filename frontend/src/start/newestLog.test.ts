import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import type { LogsApi, WindowQuery } from "../api/logsApi";
import { readNewest } from "./newestLog";

const DAY_MS = 86_400_000;

it("reads the retention of each tenant, also after another one was signed in", async () => {
  const days: number[] = [];
  const apiOf = (retention: number) =>
    ({
      tenant: async () => ({ name: "", retention_days: retention, ingest_url: "", ingest_grpc_port: null }),
      newest: async ({ start, end }: WindowQuery) => {
        days.push(Math.floor(Number((end - start) / 1_000_000n) / DAY_MS));
        return [];
      },
    }) as unknown as LogsApi;
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const { signal } = new AbortController();
  for (const [tenant, retention] of [
    ["one", 1],
    ["other", 30],
    ["one", 7],
  ] as const) {
    await readNewest(cache, apiOf(retention), tenant, 0, signal);
  }
  expect(days).toEqual([1, 30, 1]);
});
