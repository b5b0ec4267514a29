import { describe, expect, it } from "vitest";
import { ApiProblem, asProblem, problemFrom, sentence } from "./problem";

describe("problemFrom", () => {
  it("reads every member of a query error", () => {
    const problem = problemFrom(400, {
      code: "query_syntax",
      title: "Bad query",
      detail: "unexpected )",
      position: 7,
      expected: ["word", 3],
    });
    expect(problem).toMatchObject({
      status: 400,
      code: "query_syntax",
      message: "unexpected )",
      position: 7,
      expected: ["word"],
    });
    expect(problem.isAboutQuery).toBe(true);
  });

  it.each([null, "<html>", 3, [], {}, { detail: 5, position: "x", expected: "y" }])(
    "survives the body %j",
    (body) => {
      const problem = problemFrom(502, body);
      expect(problem.message).toBe("the server answered with status 502");
      expect(problem).toMatchObject({ position: null, expected: [], code: "unknown" });
    },
  );
});

it("keeps problems and wraps everything else", () => {
  const problem = new ApiProblem(401, "unauthenticated", "no");
  expect(asProblem(problem)).toBe(problem);
  expect(problem.isUnauthorized).toBe(true);
  expect(asProblem(new Error("boom")).message).toBe("boom");
  expect(asProblem("text").message).toBe("text");
});

it("makes sentences of fragments", () => {
  expect(sentence("the range is empty")).toBe("The range is empty.");
  expect(sentence("Why?")).toBe("Why?");
});
