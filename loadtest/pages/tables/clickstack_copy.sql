INSERT INTO {table} (Timestamp, TraceId, SpanId, TraceFlags, SeverityText, SeverityNumber, ServiceName, Body,
    ResourceAttributes, ScopeName, ScopeVersion, LogAttributes, EventName)
SELECT timestamp, lower(hex(trace_id)), lower(hex(span_id)), flags, severity_text, severity_number, service, body,
    resource, scope_name, scope_version, attributes, event_name
FROM {source}
