import { expect, it } from "vitest";
import { sampleLog } from "../testing/sampleLog";
import { recordCurl } from "./recordCurl";

it("writes a command without the key", () => {
  expect(recordCurl(sampleLog({ id: "17" }), "https://logs.example")).toBe(
    `curl -H "Authorization: Bearer $LOGSIEVE_QUERY_KEY" 'https://logs.example/api/v1/logs/17'`,
  );
});
