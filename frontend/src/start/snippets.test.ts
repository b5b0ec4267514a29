import { expect, it } from "vitest";
import { SNIPPETS } from "./snippets";

it("has a curl program that can be pasted into a shell, because it sets no options of the shell", () => {
  const program = SNIPPETS.find(({ id }) => id === "curl")?.files[0]?.text ?? "";
  expect(program).toContain("curl --fail-with-body");
  expect(program).not.toMatch(/^set /m);
});

it("has notes without marks of Markdown, which the page would show", () => {
  expect(SNIPPETS.map(({ note }) => note).filter((note) => note.includes("`"))).toEqual([]);
});
