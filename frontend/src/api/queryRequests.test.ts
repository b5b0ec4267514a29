// @vitest-environment jsdom
import { expect, it } from "vitest";
import { installFakeApi } from "../testing/fakeApi";
import { createLogsApi } from "./client";

const { signal } = new AbortController();
const RANGE = { start: 0n, end: 1n };

it("sends a query in the address", async () => {
  const api = installFakeApi();
  await createLogsApi("key").newest({ query: "a b", ...RANGE }, 1, signal);
  const [request] = api.sent;
  expect(request?.method).toBe("GET");
  expect(new URL(request?.url ?? "").searchParams.get("query")).toBe("a b");
  expect(request?.headers.get("Authorization")).toBe("Bearer key");
});

it("sends a long query in a body, and the name of a field in the address", async () => {
  const api = installFakeApi();
  api.on(/values$/, () => ({ body: { values: [] } }));
  const query = "ä".repeat(501);
  await createLogsApi("key").fieldValues({ query, ...RANGE }, "a/b", "c", signal);
  const [request] = api.sent;
  expect(request?.method).toBe("POST");
  expect(new URL(request?.url ?? "").pathname).toBe("/api/v1/logs/fields/a%2Fb/values");
  expect(await request?.json()).toMatchObject({ query, prefix: "c" });
});
