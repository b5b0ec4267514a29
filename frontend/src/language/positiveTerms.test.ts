import { expect, it } from "vitest";
import { positiveTerms } from "./positiveTerms";

it.each<[string, string[]]>([
  ["connection error", ["words connection", "words error"]],
  [
    '"reset by peer" time* *out* /x+/',
    ["words reset by peer", "wildcard time*", "wildcard *out*", "regex x+"],
  ],
  ["error -debug", ["words error"]],
  ["NOT (a b) c", ["words c"]],
  ["NOT (a -b) c", ["words b", "words c"]],
  ["NOT NOT a", ["words a"]],
  ["-(a OR (b c)) d", ["words d"]],
  ["service:checkout severity:>=warn timeout", ["words timeout"]],
  ["user.id:(7 OR 8) x", ["words x"]],
  ["(service:a OR b) c", ["words b", "words c"]],
  ['body:"exact words" body:~word body:>=3', ["words exact words", "words word"]],
  ["body:(a OR -b)", ["words a"]],
  ["-body:a -service:b c", ["words c"]],
  ["error error", ["words error"]],
  ["error.type:* *", []],
  ["a) b", ["words a", "words b"]],
  ["", []],
])("finds what %s marks", (query, expected) => {
  expect(positiveTerms(query).map((term) => `${term.kind} ${term.text}`)).toEqual(expected);
});
