import { expect, it } from "vitest";
import { parseLogJson } from "../api/logJson";
import type { Log } from "../api/types";
import { sampleLog } from "../testing/sampleLog";
import { recordCurl, recordJson } from "./recordText";

it("writes a record with the digits that were sent", () => {
  const record = parseLogJson('{"id":"1","attributes":{"ratio":1.0}}') as Log;
  expect(recordJson(record)).toBe('{\n  "id": "1",\n  "attributes": {\n    "ratio": 1.0\n  }\n}');
});

it("writes a command without the key", () => {
  expect(recordCurl(sampleLog({ id: "17" }), "https://logs.example")).toBe(
    `curl -H "Authorization: Bearer $LOGSIEVE_QUERY_KEY" 'https://logs.example/api/v1/logs/17'`,
  );
});
