// @vitest-environment jsdom
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { readFieldFilter } from "../language/fieldFilter";
import { testIds } from "../testIds";
import { COUNTING } from "../testing/fakeApi";
import { FacetValues } from "./FacetValues";

it("lists a value once that a query names several times", () => {
  const answer = { ...COUNTING, name: "service", records: 7, complete: true, more: false };
  render(
    <FacetValues
      answer={{ ...answer, basis: "inserted", values: [{ value: "web", records: 7 }] }}
      filter={readFieldFilter("service:(cart OR cart) -service:cart", "service")}
      onOnly={() => {}}
      onWithout={() => {}}
    />,
  );
  expect(screen.getAllByTestId(testIds.facetValue).map(({ dataset }) => dataset.value)).toEqual([
    "cart",
    "web",
  ]);
});
