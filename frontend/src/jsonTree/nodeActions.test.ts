import { expect, it } from "vitest";
import { writeFilter } from "../language/editQuery";
import { type JsonNode, readJson } from "./jsonNode";
import { nodeActions, type RecordMember } from "./nodeActions";
import { copiedText, previewText } from "./nodeText";
import { pathText } from "./pathText";

const SOURCE = '{"status":503.0,"service":"a b","user":{"id":42,"tags":["x y",null]},"":1,"ok":true}';

function actionsOf(member: RecordMember): Record<string, string> {
  const found: Record<string, string> = {};
  const add = (nodes: readonly JsonNode[]) => {
    for (const node of nodes) {
      const { filter, column, words } = nodeActions(node, SOURCE, member);
      const written = filter === null ? "" : writeFilter(filter.field, filter.value);
      found[pathText(node.path)] = [written, column, words].filter(Boolean).join(" | ");
      add(node.children);
    }
  };
  add(readJson(SOURCE) ?? []);
  return found;
}

it("filters for attributes, with their digits, and finds what is inside of them by its words", () => {
  expect(actionsOf("attributes")).toEqual({
    status: "status:503.0 | status",
    service: 'attributes.service:"a b" | attributes.service',
    user: "user",
    "user.id": 'user:~"id 42"',
    "user.tags": "",
    "user.tags[0]": 'user:~"x y"',
    "user.tags[1]": 'user:~"null"',
    '[""]': "",
    ok: "ok:true | ok",
  });
  expect(actionsOf("resource").status).toBe("resource.status:503.0 | resource.status");
});

it("finds every value of a message by its words", () => {
  expect(actionsOf("body")).toMatchObject({
    status: '"status 503 0"',
    "user.id": '"id 42"',
    user: "",
    ok: '"ok true"',
  });
});

it("copies strings as they are, and objects on lines", () => {
  const [text, list, twice] = readJson('["a\\n\\"b",{"n":1.0},{"n":1,"n":2}]') ?? [];
  const source = '["a\\n\\"b",{"n":1.0},{"n":1,"n":2}]';
  const copied = [text, list, twice].map((node) => (node === undefined ? null : copiedText(node, source)));
  expect(copied.slice(0, 2)).toEqual(['a\n"b', '{\n  "n": 1.0\n}']);
  expect(copied[2]).toContain("2");
  const long = JSON.stringify(["x".repeat(500)]);
  const [node] = readJson(`[${long}]`) ?? [];
  expect(node === undefined ? "" : previewText(node, `[${long}]`)).toHaveLength(161);
});

it("writes paths with odd names in quotes", () => {
  expect(pathText(["user", "roles", 0, "a b", "c-d"])).toBe('user.roles[0]["a b"].c-d');
  expect(pathText([0])).toBe("[0]");
});
