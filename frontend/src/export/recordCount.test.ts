import { expect, it } from "vitest";
import type { ExportFormat } from "../api/logsApi";
import { recordCounter } from "./recordCount";

it.each<[ExportFormat, readonly string[], number]>([
  ["ndjson", [], 0],
  ["ndjson", ['{"body":"a\\n"}\n{"bo', 'dy":"\\""}\n'], 2],
  ["csv", ["timestamp,body\r\n"], 0],
  ["csv", ['timestamp,body\r\n1,plain\r\n2,"two\nli', 'nes and ""quotes"""\r\n'], 2],
])("counts the records of %s in %j", (format, pieces, expected) => {
  const counter = recordCounter(format);
  for (const piece of pieces) counter.add(new TextEncoder().encode(piece));
  expect(counter.count()).toBe(expected);
});
