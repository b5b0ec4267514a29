// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { openAdmin } from "../settings/useAdmin";
import { installFakeApi } from "../testing/fakeApi";
import { checkKey, KEY_REFUSED, openSession } from "./session";

beforeEach(() => {
  installFakeApi();
});

describe.each(["ls_query_1b03286cff84_••••••••", "ls_query_1b03286cff84_…"])("the text %j", (text) => {
  it("is refused as an unknown key, although a browser cannot send it", async () => {
    await expect(checkKey(text)).rejects.toMatchObject({ status: 401 });
    await expect(openAdmin(text, "demo")).rejects.toMatchObject({ status: 401 });
  });

  it("is forgotten where a browser has stored it as a key", async () => {
    localStorage.setItem("logsieve.query-key", text);
    expect(await openSession()).toEqual({ kind: "signed-out", reason: KEY_REFUSED });
    expect(localStorage.getItem("logsieve.query-key")).toBeNull();
  });
});
