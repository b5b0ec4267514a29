"""OpenTelemetry's ClickHouse exporter, asked with one plain query.

Source: opentelemetry-collector-contrib, exporter/clickhouseexporter/internal/sqltemplates/logs_table.sql as it was
before PR #47720 (April 2026), which is what most installations have.
"""

from typing import Final

from loadtest.plans.layouts.layout import Layout

_CREATE: Final = """
CREATE TABLE IF NOT EXISTS {table}
(
    Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
    TimestampTime DateTime DEFAULT toDateTime(Timestamp),
    TraceId String CODEC(ZSTD(1)),
    SpanId String CODEC(ZSTD(1)),
    TraceFlags UInt8,
    SeverityText LowCardinality(String) CODEC(ZSTD(1)),
    SeverityNumber UInt8,
    ServiceName LowCardinality(String) CODEC(ZSTD(1)),
    Body String CODEC(ZSTD(1)),
    ResourceSchemaUrl LowCardinality(String) CODEC(ZSTD(1)),
    ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    ScopeSchemaUrl LowCardinality(String) CODEC(ZSTD(1)),
    ScopeName String CODEC(ZSTD(1)),
    ScopeVersion LowCardinality(String) CODEC(ZSTD(1)),
    ScopeAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    LogAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX idx_res_attr_key mapKeys(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX idx_res_attr_value mapValues(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX idx_scope_attr_key mapKeys(ScopeAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX idx_scope_attr_value mapValues(ScopeAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX idx_log_attr_key mapKeys(LogAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX idx_log_attr_value mapValues(LogAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX idx_body Body TYPE tokenbf_v1(32768, 3, 0) GRANULARITY 8
)
ENGINE = MergeTree
PARTITION BY toDate(TimestampTime)
PRIMARY KEY (ServiceName, TimestampTime)
ORDER BY (ServiceName, TimestampTime, Timestamp)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1
"""
_COPY: Final = """
INSERT INTO {table} (Timestamp, TraceId, SpanId, TraceFlags, SeverityText, SeverityNumber, ServiceName, Body,
    ResourceAttributes, ScopeName, ScopeVersion, LogAttributes)
SELECT timestamp, lower(hex(trace_id)), lower(hex(span_id)), flags, severity_text, severity_number, service, body,
    resource, scope_name, scope_version, attributes
FROM {source}
"""

EXPORTER: Final = Layout(
    name="exporter",
    create=_CREATE,
    copy=_COPY,
    word="hasToken(Body, '{}')",
    order=("Timestamp",),
    key=("ServiceName", "TimestampTime", "Timestamp"),
    between="Timestamp >= fromUnixTimestamp64Nano({start}) AND Timestamp < fromUnixTimestamp64Nano({end})"
    " AND TimestampTime >= toDateTime(intDiv({start}, 1000000000))"
    " AND TimestampTime <= toDateTime(intDiv({end}, 1000000000))",
)
