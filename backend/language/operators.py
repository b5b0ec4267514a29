"""Lists every form of the query language. docs/query-language.md shows this list, and tests run its examples."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operator:
    """A form: its syntax, its meaning, a query that uses it, and a wrong query with the position of its error."""

    name: str
    syntax: str
    meaning: str
    example: str
    refused: str
    refused_at: int


OPERATORS: tuple[Operator, ...] = (
    Operator("everything", "*", "every record, like the empty query", "*", "()", 1),
    Operator("word", "word", "the body has the word; ASCII case is ignored", "timeout", "!!!", 0),
    Operator("phrase", '"two words"', "the words in this order, next to each other", '"reset by peer"', '"reset', 0),
    Operator("punctuated term", "a.b-c", "same as the phrase of its words", "10.0.0.1:8080", "f(x)", 1),
    Operator("wildcard", "pre* *post a*b", "* stands for any word characters, or none", "time*", 'time*"out"', 5),
    Operator("substring", "*text*", "these characters, also punctuation, in any case", "*=4*", "*=(*", 2),
    Operator("regular expression", "/re/", "an RE2 expression on the body; case counts", r"/by \w+/", "a /b(/", 2),
    Operator("juxtaposition", "a b", "both", "connection error", "a)", 1),
    Operator("AND", "a AND b", "both, same as a space", "connection AND error", "a AND", 5),
    Operator("OR", "a OR b", "one of them or both; AND binds tighter", "error OR fatal", "OR fatal", 0),
    Operator("NOT", "NOT a", "records that a does not match", "NOT debug", "NOT", 3),
    Operator("minus", "-a", "same as NOT", "-debug", "- debug", 0),
    Operator("parentheses", "(a b)", "groups what is inside", "-(a OR b)", "(a b", 4),
    Operator("equality", "field:value", "the whole value, case counts", "service:checkout", "service:", 8),
    Operator("quoted value", 'field:"value"', "equality, with any characters in the value", 'user:"a b"', "user:=x", 5),
    Operator("quoted field", '"field":value', "a field with any characters in its name", '"odd name":x', '"":x', 0),
    Operator(
        "glob", "field:a*b", "the whole value; * stands for any characters", "k8s.pod.name:web-*", "severity:w*", 9
    ),
    Operator("exists", "field:*", "the record has the field", "error.type:*", "timestamp:*", 0),
    Operator(
        "comparison",
        "field:>=x",
        "x or more; also > < <=; compares numbers if x is a number",
        "status:>=500",
        "trace_id:>5",
        10,
    ),
    Operator(
        "range", "field:[a TO b]", "[ ] include the bound, { } exclude it; * is unbounded", "ms:[1 TO 5}", "ms:[1 5]", 6
    ),
    Operator("group", "field:(a OR b)", "combines value forms", "user.id:(7 OR >=9)", "user.id:()", 9),
    Operator("words in a value", "field:~word", "words, phrases or wildcards in a value", "msg:~time*", "flags:~x", 7),
    Operator("attribute", "attributes.x:v", "only the log's own attribute", "attributes.id:7", "attributes.:7", 0),
    Operator("resource attribute", "resource.x:v", "only the resource's attribute", "resource.host:a", "resource:a", 0),
    Operator(
        "severity", "severity:name", "OpenTelemetry's ranges of severity numbers", "severity:>=warn", "severity:bad", 9
    ),
    Operator(
        "id", "trace_id:hex", "all hexadecimal digits, or the first ones and *", "trace_id:4bf9*", "span_id:4bf9", 8
    ),
    Operator("number", "flags:number", "whole numbers only", "flags:>=1", "flags:1.5", 6),
    Operator("body", "body:term", "terms that need no field; no comparisons", "body:(a /b/)", "body:>5", 5),
    Operator("escape", "\\", "takes the next character literally", r"C\:\\temp", r"C\:\temp", 3),
)


STATS_FORMS: tuple[Operator, ...] = (
    Operator("count", "count()", "number of records", "error | stats count() by service", "| stats count(x)", 14),
    Operator(
        "conditional count",
        "count_if(query)",
        "number of records that also match the query in parentheses",
        "| stats count_if(severity:>=error), count() by service",
        "| stats count_if()",
        17,
    ),
    Operator(
        "rate",
        "rate()",
        "records a second, of the bucket or the range",
        "| stats rate() by time(1m)",
        "| stats rate",
        8,
    ),
    Operator(
        "different values", "uniq(field)", "number of different values", "| stats uniq(user.id)", "| stats uniq()", 13
    ),
    Operator(
        "sum and mean",
        "sum(field)",
        "sum of the values that are numbers; avg: their mean",
        "| stats sum(bytes), avg(bytes)",
        "| stats sum(service)",
        12,
    ),
    Operator(
        "extremes",
        "min(field)",
        "smallest of the values that are numbers; max: the largest",
        "| stats min(ms), max(ms)",
        "| stats min()",
        12,
    ),
    Operator(
        "quantile",
        "p95(field)",
        "95th percentile, within 1 % of the value; also p50, p90 and p99",
        "| stats p50(ms), p90(ms), p95(ms), p99(ms)",
        "| stats p42(ms)",
        8,
    ),
    Operator(
        "groups",
        "by field, …",
        "one row for each combination of values",
        '| stats count() by service, "odd name"',
        "| stats count() by",
        18,
    ),
    Operator(
        "time buckets",
        "by time(5m)",
        "one value for each bucket; ms, s, m, h, d",
        "| stats count() by http.route, time(5m)",
        "| stats count() by time(5x)",
        24,
    ),
    Operator(
        "order",
        "| sort key",
        "by a function, or by a field after by; desc unless asc follows the key; default: the first function",
        "| stats count(), p95(ms) by route | sort p95(ms) asc",
        "| stats count() by a | sort b",
        28,
    ),
    Operator(
        "limit",
        "| limit n",
        "number of groups, 1 to 1,000; 100 when left out",
        "| stats count() by route | limit 20",
        "| stats count() by a | limit 0",
        29,
    ),
)
"""The forms of `| stats`, which `parse_stats` reads."""


def operators_table(forms: tuple[Operator, ...] = OPERATORS) -> str:
    """Returns the forms as a Markdown table, which docs/query-language.md and, for STATS_FORMS, docs/stats.md show."""
    rows = [f"| {one.name} | {_code(one.syntax)} | {one.meaning} | {_code(one.example)} |" for one in forms]
    return "\n".join(("| form | written | means | example |", "| --- | --- | --- | --- |", *rows))


def _code(text: str) -> str:
    """Returns the text as code in a cell of a table, where a bar would end the cell."""
    return f"`{text.replace('|', chr(92) + '|')}`"
