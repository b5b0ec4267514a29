"""Every setting there is: an environment variable `LOGSIEVE_<NAME>`, a file `logsieve_<name>` in the folder that
LOGSIEVE_SECRETS_DIR names, or a key of the TOML file that LOGSIEVE_CONFIG names.

The first of these that has a value wins. `docs/settings.md` lists the same fields; a test holds it to this class.
"""

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from kit import folders
from kit.door_settings import DoorSettings
from kit.store_settings import CLICKHOUSE_PORT_STEP, StoreSettings

__all__ = ["CLICKHOUSE_PORT_STEP", "Settings"]


class Settings(DoorSettings, StoreSettings):
    """All settings of all processes; frozen, read once at the start of a command.

    Raises ValidationError for a value that cannot be, SettingsError for a file that cannot be read or is no TOML.
    """

    model_config = SettingsConfigDict(env_prefix="LOGSIEVE_", frozen=True, extra="forbid")

    bind_host: str = Field(
        "127.0.0.1", description="Address on which the receiver, the API and the operations ports listen."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Lowest level of the log lines that are written."
    )

    access_log: Literal["off", "rest", "all"] = Field(
        "rest",
        description="Requests that get a line in the log, at level info: `rest`: of the REST API and the web UI; "
        "`all`: of OTLP too; `off`: none.",
    )

    otlp_grpc_port: int = Field(4317, description="Port of OTLP over gRPC.")
    otlp_http_port: int = Field(
        4318, description="Port of OTLP over HTTP, and of /healthz, /readyz and /metrics of the receiver."
    )
    api_port: int = Field(
        8080, description="Port of the REST API and the web UI, and of /healthz, /readyz and /metrics of the backend."
    )
    loader_port: int = Field(8081, description="Port of /healthz, /readyz and /metrics of the loader.")

    body_max_bytes: int = Field(
        4096, ge=1, le=65536, description="Bytes after which log bodies are cut, for tenants without their own limit."
    )
    request_max_bytes: int = Field(16 * 2**20, description="Bytes that an OTLP request may have after decompression.")
    request_max_records: int = Field(100_000, ge=1, description="Largest number of log records in one OTLP request.")
    record_max_attribute_names: int = Field(
        128,
        ge=1,
        description="Distinct attribute names a record may have, and its resource and its scope each; records with "
        "more are refused one by one. OpenTelemetry's SDKs have the same limit.",
    )
    request_max_attribute_names: int = Field(
        2000,
        ge=1,
        description="Distinct attribute names of all records of a request; records that bring more are refused one by "
        "one.",
    )
    tenant_max_attribute_names_per_day: int = Field(
        10_000,
        ge=1,
        description="Distinct attribute names a tenant may send through one receiver worker on a UTC day; records that "
        "bring more are refused one by one. Each worker counts anew when it starts.",
    )
    receiver_memory_bytes: int = Field(
        256 * 2**20,
        description="Bytes of requests that the receiver holds at once, divided between its workers; further requests "
        "are answered 503. A worker needs four times `request_max_bytes`.",
    )
    receiver_workers: int = Field(
        1, ge=1, le=64, description="Receiver processes behind the OTLP ports; each passes its part of a tenant's rate."
    )
    receiver_ops_port: int = Field(
        8090, description="With several receiver workers, worker n has /healthz, /readyz and /metrics on this port + n."
    )
    tenant_partition_bytes_per_second: int = Field(
        8 * 2**20,
        ge=1,
        description="Bytes a second of one tenant in one worker before its messages spread over more partitions.",
    )
    ingest_url: str | None = Field(
        None,
        description="Address of OTLP over HTTP as senders reach it, without a path, which Get started of the web UI "
        "shows; none: the host by which the browser reached the API, with `otlp_http_port`.",
    )
    otlp_cors_origins: str = Field(
        "", description="Web origins whose pages may send OTLP/HTTP, separated by commas; `*` for any, empty for none."
    )
    future_tolerance_seconds: int = Field(3600, description="Seconds that a record's timestamp may be ahead of now.")

    loader_batch_rows: int = Field(50_000, ge=1, description="Rows after which a batch is inserted.")
    loader_batch_bytes: int = Field(64 * 2**20, ge=1, description="Bytes of rows after which a batch is inserted.")
    loader_batch_seconds: float = Field(
        0.5, gt=0, description="Seconds after its first message at which a batch is inserted."
    )
    loader_group: str = Field(
        "logsieve-loader",
        min_length=1,
        description="Consumer group of the loaders that fill one ClickHouse; another replica has another.",
    )
    loader_memory_bytes: int = Field(
        512 * 2**20, ge=1, description="Bytes of messages that a loader holds at once; it fetches no more above that."
    )
    insert_max_memory: int = Field(
        2 * 2**30,
        ge=2**20,
        description="Bytes of memory one insert of the loader may use in ClickHouse; a message whose rows need more "
        "alone becomes a dead letter.",
    )
    insert_max_seconds: float = Field(
        40.0,
        gt=0,
        le=45,
        description="Seconds one insert of the loader may take in ClickHouse; a message whose rows take longer alone, "
        "three times, becomes a dead letter.",
    )
    loader_dead_ratio: float = Field(
        0.1, gt=0, le=1, description="Share of the last 1,000 messages that may be dead letters before a loader stops."
    )
    loader_dead_minimum: int = Field(
        20, ge=1, description="Dead letters among the last 1,000 messages up to which a loader never stops."
    )

    retention_interval_seconds: float = Field(
        600.0, gt=0, description="Seconds between two runs in which a loader drops partitions past their retention."
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
        description="Seconds between a tenant's deletion and the begin of its erasure, so that every receiver "
        "refuses its records by then.",
    )

    default_bytes_per_second: int = Field(
        32 * 2**20,
        ge=0,
        description="Bytes a second that a tenant without a limit of its own may send: decompressed requests, or the "
        "bytes of their rows where these are more; 0: no limit.",
    )
    default_records_per_second: int = Field(
        50_000, ge=0, description="Log records a second that a tenant without a limit of its own may send; 0: no limit."
    )
    default_bytes_per_day: int = Field(
        0, ge=0, description="Bytes a UTC day that a tenant without a limit of its own may send; 0: no limit."
    )
    wrong_keys_per_minute: int = Field(
        60,
        ge=1,
        description="Wrong keys of one address that are answered 401 in a minute; further ones are answered 429.",
    )

    query_max_seconds: float = Field(30.0, gt=0, description="Seconds that a search may run in ClickHouse.")
    query_max_memory: int = Field(2 * 2**30, description="Bytes of memory one search may use in ClickHouse.")
    query_max_rows: int = Field(
        2_000_000_000, ge=1, description="Rows that a search which counts everything may read; a page stops early."
    )
    query_max_read_bytes: int = Field(200 * 2**30, ge=1, description="Bytes, uncompressed, that one search may read.")
    query_max_result_bytes: int = Field(80 * 2**20, ge=1, description="Bytes of the largest result of one search.")
    query_max_unread_bytes: int = Field(
        512 * 2**20,
        ge=1,
        description="Bytes of answers that clients have not read yet, in one API process. A tenant may hold as many "
        "as are left after it; further answers are a 429.",
    )
    query_max_concurrent: int = Field(64, ge=1, description="Searches that a backend runs at once; others wait.")
    query_max_concurrent_per_tenant: int = Field(
        16,
        ge=1,
        description="Searches of one tenant that a backend runs at once, unless the tenant has a limit of its own.",
    )
    query_max_waiting_per_tenant: int = Field(
        200, ge=0, description="Searches of one tenant that may wait; further ones are answered 429."
    )
    query_max_wait_seconds: float = Field(
        10.0, gt=0, description="Seconds that a search waits for its turn before it is answered 429."
    )
    export_max_concurrent: int = Field(
        16, ge=1, description="Statements of exports that a backend runs at once, in addition to the searches."
    )
    export_max: int = Field(
        64, ge=1, description="Exports that an API process serves at once; further ones are answered 429."
    )
    export_max_per_tenant: int = Field(
        4, ge=1, description="Exports of one tenant that an API process serves at once; further ones are answered 429."
    )
    export_max_wait_seconds: float = Field(
        300.0, gt=0, description="Seconds that an export waits for its next page before it ends with an error."
    )

    tail_max: int = Field(
        500, ge=1, description="Live tails that a backend serves at once; further ones are answered 429."
    )
    tail_max_per_tenant: int = Field(
        100, ge=1, description="Live tails of one tenant that a backend serves at once; further ones are answered 429."
    )
    tail_max_steps_per_tenant: int = Field(
        3000,
        ge=1,
        description="Steps of the regular expressions of one tenant's live tails together, in a backend: one query may "
        "have 3,000, an expression of 20 characters has some 20 to 100. Equal queries count once.",
    )
    tail_buffer_bytes: int = Field(
        4 * 2**20,
        ge=1,
        description="Bytes that may wait for the client of a tail before the tail is closed with a notice.",
    )
    tail_resume_seconds: int = Field(
        300,
        ge=0,
        description="Seconds that a tail can resume from before now; older records are left out, which the tail "
        "reports.",
    )

    ui_dir: Path = Field(folders.UI, description="Folder with the built web UI, which the API serves at /.")
    ui_sign_in_link_seconds: int = Field(
        900, ge=60, description="Seconds that a sign-in link of `up` and `ui` can be used, once."
    )

    self_logs: bool = Field(False, description="Send Logsieve's own logs into Logsieve under tenant _self.")
    self_ingest_key: SecretStr | None = Field(None, description="Ingest key of tenant _self, which `self_logs` needs.")
    traces_endpoint: str | None = Field(
        None, description="OTLP/HTTP URL to which Logsieve's own traces are sent; none: they are not sent."
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
    # The library only warns of a folder that does not exist, and every secret in it would silently be the default.
    if not folder.is_dir():
        raise SettingsError(
            f"LOGSIEVE_SECRETS_DIR names {folder}, which is not a folder: create it, or unset the variable"
        )
    return SecretsSettingsSource(settings_cls, secrets_dir=folder)


def _config_file(settings_cls: type[BaseSettings], path: Path) -> TomlConfigSettingsSource:
    try:
        # The library passes over a file that is not there, and every setting in it would silently be the default.
        path.open("rb").close()
        return TomlConfigSettingsSource(settings_cls, path)
    except OSError as error:
        raise SettingsError(f"LOGSIEVE_CONFIG names {path}, which cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"LOGSIEVE_CONFIG names {path}, which is not TOML: {error}") from error
