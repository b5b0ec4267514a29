import { expect, it } from "vitest";
import { problemAtEnd } from "./fileEnd";

it("reads the error that an export ends with", () => {
  const error = { status: 422, code: "query_too_expensive", detail: "narrow the range" };
  const problem = problemAtEnd(`{"id":"01"}\n${JSON.stringify({ error })}\n`);
  expect(problem?.status).toBe(422);
  expect(problem?.code).toBe("query_too_expensive");
  expect(problem?.message).toBe("narrow the range");
});

it.each(["", "\n", '{"id":"01","body":"x"}\n', '{"id":"01","body":"{\\"error\\":1}"}\n', '{"error":'])(
  "takes %j for the end of a whole file",
  (tail) => {
    expect(problemAtEnd(tail)).toBeNull();
  },
);
