/** The language by example, as the help shows it; each example can be clicked into the query bar. */
export const SYNTAX_EXAMPLES: readonly (readonly [
  group: string,
  examples: readonly (readonly [string, string])[],
])[] = [
  [
    "Words in the message",
    [
      ["connection error", "both words, any order, any case"],
      ['"connection reset by peer"', "these words next to each other"],
      ["time*", "words that begin with time"],
      ["*out*", "text that contains out, also inside words"],
      ["/reset by \\w+/", "regular expression (RE2)"],
    ],
  ],
  [
    "Fields",
    [
      ["service:checkout", "the value is exactly this"],
      ["severity:>=warn", "warn, error and fatal"],
      ["http.status_code:>=500", "compare numbers"],
      ["latency_ms:[100 TO 500]", "a range, both ends included"],
      ["user.id:(7 OR 8)", "any of these values"],
      ["k8s.pod.name:web-*", "values that begin with web-"],
      ["error.type:*", "the field exists"],
      ["error.message:~timeout", "a word inside the value"],
      ["resource.host.name:a", "only in resource attributes"],
    ],
  ],
  [
    "Combine",
    [
      ["error OR fatal", "either"],
      ["error -debug", "error, but not debug"],
      ["NOT (a b)", "not both a and b"],
      ["(a OR b) service:cart", "parentheses group; a space means AND"],
    ],
  ],
];
