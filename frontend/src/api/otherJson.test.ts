// @vitest-environment jsdom
import { expect, it } from "vitest";
import { installFakeApi } from "../testing/fakeApi";
import { createLogsApi } from "./client";

it.each([null, {}, { message: "ok" }, "ok", [], { logs: null }])(
  "takes %j for an answer of a proxy",
  async (body) => {
    const fake = installFakeApi();
    fake.on(/logs\/\w+$/, () => ({ body }));
    const api = createLogsApi("key");
    const { signal } = new AbortController();
    const search = { query: "", start: 0n, end: 1n };
    const isOfProxy = { status: 502, code: "unknown" };
    await expect(api.search(search, "desc", null, signal, () => {})).rejects.toMatchObject(isOfProxy);
    await expect(api.newest(search, 1, signal)).rejects.toMatchObject(isOfProxy);
    await expect(api.everywhere("", "asc", null, signal)).rejects.toMatchObject(isOfProxy);
    await expect(api.log("01", signal)).rejects.toMatchObject(isOfProxy);
  },
);
