"""All settings: an environment variable `LOGSIEVE_<NAME>`, a file `logsieve_<name>` in the folder LOGSIEVE_SECRETS_DIR,
or a key of the TOML file LOGSIEVE_CONFIG.

The first of these that has a value wins. `docs/settings.md` lists the same fields; a test compares it with this class.
"""

import os
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from kit import folders
from kit.alert_settings import AlertSettings
from kit.listener_settings import ListenerSettings
from kit.self_telemetry_settings import SelfTelemetrySettings
from kit.stack_settings import Port
from kit.store_settings import CLICKHOUSE_PORT_STEP, StoreSettings
from kit.web_addresses import BaseUrl, Origins

__all__ = ["CLICKHOUSE_PORT_STEP", "Settings"]


class Settings(SelfTelemetrySettings, AlertSettings, ListenerSettings, StoreSettings):
    """All settings of all processes. Frozen; read once at the start of a command.

    Raises ValidationError for an invalid value, SettingsError for a file that cannot be read or is not TOML.
    """

    model_config = SettingsConfigDict(env_prefix="LOGSIEVE_", frozen=True, extra="forbid")

    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Lowest level of the log lines that are written."
    )

    access_log: Literal["off", "rest", "all"] = Field(
        "rest",
        description="Requests that get a log line, at level info. `rest`: requests to the REST API and the web UI; "
        "`all`: also OTLP; `off`: none.",
    )

    otlp_grpc_port: Port = Field(4317, description="Port of OTLP over gRPC.")
    otlp_http_port: Port = Field(
        4318, description="Port of OTLP over HTTP, and of /healthz, /readyz and /metrics of the receiver."
    )
    api_port: Port = Field(
        8080, description="Port of the REST API and the web UI, and of /healthz, /readyz and /metrics of the API."
    )
    loader_port: Port = Field(8081, description="Port of /healthz, /readyz and /metrics of the loader.")

    body_max_bytes: int = Field(
        4096,
        ge=1,
        le=65536,
        description="Bytes of UTF-8 that are stored of a log body, for tenants that are created from now on; the rest "
        "is cut. `logsieve tenant body-size` changes existing tenants.",
    )
    request_max_bytes: int = Field(
        16 * 2**20, ge=1, description="Largest size of an OTLP request after decompression, in bytes."
    )
    request_max_records: int = Field(100_000, ge=1, description="Largest number of log records in one OTLP request.")
    record_max_attribute_names: int = Field(
        128,
        ge=1,
        description="Largest number of distinct attribute names of a record, of its resource and of its scope. "
        "Records with more are refused one by one. OpenTelemetry's SDKs have the same limit.",
    )
    request_max_attribute_names: int = Field(
        2000,
        ge=1,
        description="Largest number of distinct attribute names of all records of a request. Records that would add "
        "more are refused one by one.",
    )
    tenant_max_attribute_names_per_day: int = Field(
        10_000,
        ge=1,
        description="Largest number of distinct attribute names that a tenant may send through one receiver worker on "
        "a UTC day. Records that would add more are refused one by one. Each worker counts from zero when it "
        "starts.",
    )
    receiver_memory_bytes: int = Field(
        256 * 2**20,
        ge=1,
        description="Largest size of all requests that the receiver holds at the same time, in bytes, divided between "
        "its workers. Further requests are answered 503, or 429 if the tenant's part is used up. A worker needs four "
        "times `LOGSIEVE_REQUEST_MAX_BYTES`.",
    )
    receiver_workers: int = Field(
        1, ge=1, le=64, description="Receiver processes on the OTLP ports; a tenant's rates are divided between them."
    )
    receiver_ops_port: Port = Field(
        8090,
        description="Port of the first receiver worker's /healthz, /readyz and /metrics, if there are several workers; "
        "worker n, counted from 0, uses this port plus n.",
    )
    tenant_partition_bytes_per_second: int = Field(
        8 * 2**20,
        ge=1,
        description="Bytes per second of a tenant above which a receiver worker spreads them over more partitions.",
    )
    ingest_url: BaseUrl | None = Field(
        None,
        description="URL at which senders reach OTLP over HTTP, without a path; the web UI shows it under Get started. "
        "Unset: the host by which the browser reached the API, with `LOGSIEVE_OTLP_HTTP_PORT`.",
    )
    otlp_cors_origins: Origins = Field(
        "", description="Web origins whose pages may send OTLP/HTTP, separated by commas; `*`: any; empty: none."
    )
    future_tolerance_seconds: int = Field(
        3600, ge=0, description="Seconds that a record's timestamp may be ahead of the receiver's clock."
    )

    # Larger batches of small records make larger parts, which are merged less often. With batches of 50,000 rows,
    # ClickHouse took 14 microseconds of CPU for a record of 300 bytes instead of 11 to 13 (`loadtest ingest`).
    # LOGSIEVE_LOADER_BATCH_BYTES bounds the memory of an insert.
    loader_batch_rows: int = Field(200_000, ge=1, description="Rows after which a batch is inserted.")
    loader_batch_bytes: int = Field(64 * 2**20, ge=1, description="Bytes of rows after which a batch is inserted.")
    loader_batch_seconds: float = Field(
        0.5,
        gt=0,
        description="Seconds after a batch's first message at which the batch is inserted; up to three times as many "
        "if its records belong to more than 10 table partitions.",
    )
    loader_memory_bytes: int = Field(
        512 * 2**20,
        ge=1,
        description="Largest memory, in bytes, of all messages that a loader holds at the same time: their bytes and "
        "700 bytes for each message. At this size it fetches no more.",
    )
    insert_max_memory: int = Field(
        2 * 2**30,
        ge=2**20,
        description="Largest memory of one insert of the loader in ClickHouse, in bytes. A message whose rows alone "
        "need more becomes a dead letter.",
    )
    insert_max_seconds: float = Field(
        40.0,
        gt=0,
        le=45,
        description="Longest time of one insert of the loader in ClickHouse, in seconds. A message whose rows alone "
        "take longer in three attempts becomes a dead letter, if they have 1 MiB or more.",
    )
    loader_dead_ratio: float = Field(
        0.1, gt=0, le=1, description="Share of dead letters among the last 1,000 messages above which a loader stops."
    )
    loader_dead_minimum: int = Field(
        20, ge=1, description="Number of dead letters among the last 1,000 messages up to which a loader never stops."
    )

    retention_interval_seconds: float = Field(
        600.0, gt=0, description="Seconds between two runs of retention, in which a loader drops old partitions."
    )
    audit_days: int = Field(
        400, ge=1, le=36_500, description="Days that entries of the audit log are kept; retention removes older ones."
    )
    erasure_interval_seconds: float = Field(
        5.0, gt=0, description="Seconds between two checks of a loader for deleted tenants that are not erased yet."
    )
    erasure_after_seconds: float = Field(
        60.0,
        ge=0,
        description="Seconds between a tenant's deletion and the start of its erasure, so that every receiver refuses "
        "its records by then.",
    )

    default_bytes_per_second: int = Field(
        32 * 2**20,
        ge=0,
        description="Bytes per second that a tenant without a limit of its own may send. A request counts as its "
        "decompressed size or as the cost of its rows, whichever is larger. 0: no limit.",
    )
    default_records_per_second: int = Field(
        50_000, ge=0, description="Log records per second that a tenant without its own limit may send; 0: no limit."
    )
    default_bytes_per_day: int = Field(
        0, ge=0, description="Bytes per UTC day that a tenant without its own limit may send; 0: no limit."
    )
    wrong_keys_per_minute: int = Field(
        60,
        ge=1,
        description="Requests with a wrong key from one address that get 401 in a minute. Further ones get 429.",
    )

    query_max_seconds: float = Field(
        30.0,
        gt=0,
        description="Seconds that a statement may run, and that all statements of a page or record may run together.",
    )
    query_max_memory: int = Field(2 * 2**30, ge=1, description="Bytes of memory that a statement of a search may use.")
    query_max_rows: int = Field(
        2_000_000_000,
        ge=1,
        description="Rows that a statement may read if it counts all matches. Statements that read a page are exempt.",
    )
    query_max_read_bytes: int = Field(
        200 * 2**30, ge=1, description="Uncompressed bytes that a statement of a search may read."
    )
    query_max_result_bytes: int = Field(80 * 2**20, ge=1, description="Bytes that the result of a statement may have.")
    query_max_unread_bytes: int = Field(
        512 * 2**20,
        ge=1,
        description="Bytes of answers that clients have not read yet, in one API process. A tenant may hold at most as "
        "many of them as are still free; its further answers get 429. An answer of more than half of this gets 422.",
    )
    query_max_concurrent: int = Field(
        64, ge=1, description="Concurrent statements of searches in one `logsieve api`; others wait."
    )
    query_max_concurrent_per_tenant: int = Field(
        16,
        ge=1,
        description="Concurrent statements of a tenant's searches in one `logsieve api`; tenants may have own limits.",
    )
    query_max_waiting_per_tenant: int = Field(
        200, ge=0, description="Waiting statements of a tenant's searches in one `logsieve api`; further ones get 429."
    )
    query_max_wait_seconds: float = Field(
        10.0, gt=0, description="Seconds that a statement waits in the queue before its request gets 429."
    )
    export_max_concurrent: int = Field(
        16, ge=1, description="Concurrent statements of exports in one `logsieve api`, in addition to searches."
    )
    export_max: int = Field(64, ge=1, description="Concurrent exports in one `logsieve api`; further ones get 429.")
    export_max_per_tenant: int = Field(
        4, ge=1, description="Concurrent exports of a tenant in one `logsieve api`; further ones get 429."
    )
    export_max_wait_seconds: float = Field(
        300.0, gt=0, description="Seconds that an export waits for its next page before it ends with 429."
    )

    tail_max: int = Field(500, ge=1, description="Concurrent live tails in one `logsieve api`; further ones get 429.")
    tail_max_per_tenant: int = Field(
        100, ge=1, description="Concurrent live tails of a tenant in one `logsieve api`; further ones get 429."
    )
    tail_max_steps_per_tenant: int = Field(
        3000,
        ge=1,
        description="Largest cost of all regular expressions and stars in one tenant's live tails, in one API process, "
        "in steps (instructions of RE2). One query may cost 3,000 steps; an expression of 20 characters costs about 20 "
        "to 100. Tails with equal queries count once.",
    )
    tail_buffer_bytes: int = Field(
        4 * 2**20,
        ge=1,
        description="Bytes that may wait for a slow client of a tail; beyond this, the tail ends with `rate_limited`.",
    )
    tail_resume_seconds: int = Field(
        300,
        ge=0,
        description="Largest age, in seconds, of a position from which a tail resumes. A tail that resumes from an "
        "older position reports that records are missing.",
    )

    ui_dir: Path = Field(folders.UI, description="Folder with the built web UI, which the API serves at /.")
    ui_sign_in_link_seconds: int = Field(
        900, ge=60, description="Seconds that a sign-in link of `up` and `ui` is valid; it works once."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 the signature is pydantic's
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        sources: tuple[PydanticBaseSettingsSource, ...] = (init_settings, env_settings)
        if secrets := os.environ.get("LOGSIEVE_SECRETS_DIR"):
            sources += (_secret_files(settings_cls, Path(secrets)),)
        if config := os.environ.get("LOGSIEVE_CONFIG"):
            sources += (_config_file(settings_cls, Path(config)),)
        return sources


def _secret_files(settings_cls: type[BaseSettings], folder: Path) -> SecretsSettingsSource:
    # The library only warns of a missing folder. Every secret in it would then silently have its default.
    if not folder.is_dir():
        raise SettingsError(
            f"LOGSIEVE_SECRETS_DIR names {folder}, which is not a folder: create it, or unset the variable"
        )
    return SecretsSettingsSource(settings_cls, secrets_dir=folder)


def _config_file(settings_cls: type[BaseSettings], path: Path) -> TomlConfigSettingsSource:
    try:
        # The library ignores a missing file. Every setting in it would then silently have its default.
        path.open("rb").close()
        return TomlConfigSettingsSource(settings_cls, path)
    except OSError as error:
        raise SettingsError(f"LOGSIEVE_CONFIG names {path}, which cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"LOGSIEVE_CONFIG names {path}, which is not TOML: {error}") from error
