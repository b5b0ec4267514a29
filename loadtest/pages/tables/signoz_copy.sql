INSERT INTO {table} (ts_bucket_start, resource_fingerprint, timestamp, observed_timestamp, id, trace_id, span_id,
    trace_flags, severity_text, severity_number, body, attributes_string, resources_string, scope_name, scope_version)
SELECT intDiv(toUnixTimestamp(timestamp), 1800) * 1800,
    concat('service.name=', service, ';hash=', toString(cityHash64(mapValues(resource)))),
    toUnixTimestamp64Nano(timestamp), toUnixTimestamp64Nano(observed_timestamp), leftPad(toString(id), 27, '0'),
    lower(hex(trace_id)), lower(hex(span_id)), flags, severity_text, severity_number, body, attributes, resource,
    scope_name, scope_version
FROM {source}
