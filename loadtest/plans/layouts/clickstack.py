"""ClickStack (HyperDX): the layout with the text index, its windows and the settings that it sends.

Source: hyperdxio/hyperdx, docker/otel-collector/schema/seed/00002_otel_logs.sql, packages/app/src/utils/
searchWindows.ts, packages/common-utils/src/clickhouse/index.ts. Without the columns made from Kubernetes' attributes,
which the corpus lacks and no search here reads.
"""

from typing import Final

from loadtest.plans.layouts.layout import Layout, OwnWay

_CREATE: Final = """
CREATE TABLE IF NOT EXISTS {table}
(
    Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
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
    EventName String CODEC(ZSTD(1)),
    INDEX idx_trace_id TraceId TYPE text(tokenizer = 'array'),
    INDEX idx_res_attr_key mapKeys(ResourceAttributes) TYPE text(tokenizer = 'array'),
    INDEX idx_scope_attr_key mapKeys(ScopeAttributes) TYPE text(tokenizer = 'array'),
    INDEX idx_log_attr_key mapKeys(LogAttributes) TYPE text(tokenizer = 'array'),
    INDEX idx_lower_body lower(Body) TYPE text(tokenizer = 'splitByNonAlpha')
)
ENGINE = MergeTree
PARTITION BY toDate(Timestamp)
ORDER BY (toStartOfFiveMinutes(Timestamp), ServiceName, Timestamp)
SETTINGS index_granularity = 8192, ttl_only_drop_parts = 1, enable_block_number_column = 1,
    enable_block_offset_column = 1
"""

_COPY: Final = """
INSERT INTO {table} (Timestamp, TraceId, SpanId, TraceFlags, SeverityText, SeverityNumber, ServiceName, Body,
    ResourceAttributes, ScopeName, ScopeVersion, LogAttributes, EventName)
SELECT timestamp, lower(hex(trace_id)), lower(hex(span_id)), flags, severity_text, severity_number, service, body,
    resource, scope_name, scope_version, attributes, event_name
FROM {source}
"""

CLICKSTACK: Final = Layout(
    name="clickstack",
    create=_CREATE,
    copy=_COPY,
    word="hasAllTokens(lower(Body), ['{}'])",
    order=("Timestamp",),
    key=("toStartOfFiveMinutes(Timestamp)", "ServiceName", "Timestamp"),
    between="Timestamp >= fromUnixTimestamp64Nano({start}) AND Timestamp < fromUnixTimestamp64Nano({end})",
    own=OwnWay(
        (0.25, 6, 6, 12, 24),
        {
            "query_plan_optimize_lazy_materialization": 1,
            "query_plan_max_limit_for_lazy_materialization": 100_000,
            "use_skip_indexes_for_top_k": 1,
            "query_plan_max_limit_for_top_k_optimization": 100_000,
            "use_skip_indexes_on_data_read": 1,
            "use_skip_indexes_for_disjunctions": 1,
        },
    ),
)
