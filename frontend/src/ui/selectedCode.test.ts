import { expect, it } from "vitest";
import { selectedCode } from "./selectedCode";

const SHOWN = "export KEY='ls_ingest_1_••••'\nexport ADDRESS='http://localhost:4318'";
const COPIED = "export KEY='ls_ingest_1_abcd'\nexport ADDRESS='http://localhost:4318'";

it.each([
  [SHOWN, COPIED],
  ["export KEY='ls_ingest_1_••••'", "export KEY='ls_ingest_1_abcd'"],
  ["export KEY='ls_ingest_1_••••'\nexport ADD", "export KEY='ls_ingest_1_abcd'\nexport ADD"],
  ["ls_ingest_1_••••", "ls_ingest_1_••••"],
])("copies whole lines with the key, and parts of lines as they are selected", (selected, text) => {
  expect(selectedCode(selected, SHOWN, COPIED)).toBe(text);
});
