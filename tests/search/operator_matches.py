"""Lists which records match the example of each operator of the query language."""

from tests.search.records import Record

EXAMPLE_RECORDS: tuple[Record, ...] = (
    Record("timeout", body="Timeout: connection error"),
    Record("time out", body="time out of debug"),
    Record("reset", body="Connection reset by peer", resource={"host": "a"}),
    Record("peer", body="by peer, reset", attributes={"host": "a", "id": "7"}, flags=1),
    Record("address", body="to 10.0.0.1:8080"),
    Record("other address", body="to 10.0.0.11:8080", resource={"id": "7"}),
    Record("fatal", body="FATAL user=42", severity_number=21),
    Record("warn", body="a x", severity_number=13, service="checkout"),
    Record("b", body="abab b", severity_number=12, service="Checkout"),
    Record("a b", body="a-b"),
    Record("path", body=r"at C:\temp"),
    Record("values", attributes={"user": "a b", "odd name": "x", "k8s.pod.name": "web-7", "error.type": ""}),
    Record("other values", attributes={"user": "a  b", "odd name": "X", "k8s.pod.name": "Web-7"}),
    Record("status", attributes={"status": "5e2", "ms": "1", "user.id": "7", "msg": "Timeout"}),
    Record("other status", attributes={"status": "5xx", "ms": "5.0", "user.id": "10", "msg": "x-time x"}),
    Record("resource", resource={"status": "501", "ms": "4.9", "user.id": "8", "k8s.pod.name": "web-"}),
    Record("traced", trace_id="4bf92f3577b34da6a3ce929d0e0e4736"),
    Record("other trace", trace_id="4bf82f3577b34da6a3ce929d0e0e4736"),
)

ALL = frozenset(record.name for record in EXAMPLE_RECORDS)

OPERATOR_MATCHES: dict[str, frozenset[str]] = {
    "everything": ALL,
    "word": frozenset({"timeout"}),
    "phrase": frozenset({"reset"}),
    "punctuated term": frozenset({"address"}),
    "wildcard": frozenset({"timeout", "time out"}),
    "substring": frozenset({"fatal"}),
    "regular expression": frozenset({"reset", "peer"}),
    "juxtaposition": frozenset({"timeout"}),
    "AND": frozenset({"timeout"}),
    "OR": frozenset({"timeout", "fatal"}),
    "NOT": ALL - {"time out"},
    "minus": ALL - {"time out"},
    "parentheses": ALL - {"warn", "b", "a b"},
    "equality": frozenset({"warn"}),
    "quoted value": frozenset({"values"}),
    "quoted field": frozenset({"values"}),
    "glob": frozenset({"values", "resource"}),
    "exists": frozenset({"values"}),
    "comparison": frozenset({"status", "resource"}),
    "range": frozenset({"status", "resource"}),
    "group": frozenset({"status", "other status"}),
    "words in a value": frozenset({"status", "other status"}),
    "attribute": frozenset({"peer"}),
    "resource attribute": frozenset({"reset"}),
    "severity": frozenset({"fatal", "warn"}),
    "id": frozenset({"traced"}),
    "number": frozenset({"peer"}),
    "body": frozenset({"a b"}),
    "escape": frozenset({"path"}),
}
"""Names of the records that match an operator's example, by the operator's name."""
