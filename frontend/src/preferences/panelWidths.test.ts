import { expect, it } from "vitest";
import { panelWidth, widthBounds, widthByKey } from "./panelWidths";

const RECORD = widthBounds("record", 1440);
const FIELDS = widthBounds("fields", 1440);

it("has a usual width for each page", () => {
  expect(FIELDS.usual).toBe(232);
  expect(RECORD.usual).toBe(520);
  expect(widthBounds("record", 2560).usual).toBe(640);
  expect(widthBounds("record", 1024).usual).toBe(362);
});

it("bounds a width, so that the results stay visible", () => {
  expect(panelWidth(10, RECORD)).toBe(340);
  expect(panelWidth(5_000, RECORD)).toBe(888);
  expect(panelWidth(500.4, RECORD)).toBe(500);
  expect(panelWidth(null, RECORD)).toBe(RECORD.usual);
  expect(panelWidth(5_000, widthBounds("record", 700))).toBe(340);
});

it("follows the keys of the edge on either side", () => {
  expect(widthByKey("ArrowRight", 232, "left", FIELDS)).toBe(248);
  expect(widthByKey("ArrowLeft", 232, "left", FIELDS)).toBe(216);
  expect(widthByKey("ArrowLeft", 500, "right", RECORD)).toBe(516);
  expect(widthByKey("ArrowRight", 345, "right", RECORD)).toBe(340);
  expect(widthByKey("Home", 500, "right", RECORD)).toBe(340);
  expect(widthByKey("End", 500, "right", RECORD)).toBe(888);
  expect(widthByKey("Enter", 500, "right", RECORD)).toBeNull();
  expect(widthByKey("a", 500, "right", RECORD)).toBeUndefined();
});
