"""Tests that `make test` runs a small version of each attack of `logsieve loadtest hostile`."""

import re
from collections.abc import Mapping
from typing import Final

from kit.folders import PACKAGES
from loadtest.hostile.catalog import ATTACKS

_RECEIVER: Final = "ingest/receiver/tests"
_NAMES: Final = "tests/ingest/test_fields.py::test_names_that_are_all_different_cost_little_memory"
_BOMB: Final = f"{_RECEIVER}/test_compression.py::test_a_bomb_costs_no_more_than_the_limit"
_HEAD: Final = "tests/listeners/test_http_limits.py::test_an_endless_head_is_refused"
_NO_KEY: Final = "tests/listeners/test_http_limits.py::test_a_body_without_a_key_is_answered_and_not_read"
_KEYS: Final = "backend/tenants/tests/test_keys_life.py::test_wrong_keys_are_delayed_by_address_and_right_ones_never"

SMALL: Final[Mapping[str, str]] = {
    "950,000 attribute names in one request": _NAMES,
    "the same from three tenants at once": _NAMES,
    "tiny attributes": f"{_RECEIVER}/test_row_cost.py::test_an_attribute_counts_32_bytes_at_least",
    "tiny attributes in JSON": f"{_RECEIVER}/test_otlp_json.py::test_a_crowd_of_empty_parts_is_too_large",
    "a long resource": f"{_RECEIVER}/test_row_cost.py::test_a_tenants_rate_counts_what_rows_cost",
    "a resource of control characters": f"{_RECEIVER}/test_hostile_shapes.py"
    "::test_small_records_of_a_resource_that_json_makes_long_are_too_large",
    "records of every day": "ingest/loader/tests/test_batch.py::test_a_batch_of_many_days_waits_longer_within_a_bound",
    "slow redactions": "tests/ingest/test_slow_redactions.py"
    "::test_large_requests_of_others_do_not_wait_for_tenants_with_slow_redactions",
    "texts that are not UTF-8": "tests/ingest/test_kept_and_refused.py"
    "::test_text_that_is_no_utf8_is_searchable_with_what_is_around_it",
    "oversized protobuf": f"{_RECEIVER}/test_http.py::test_refusals_are_a_status_in_the_body",
    "oversized JSON": f"{_RECEIVER}/test_http.py::test_refusals_are_a_status_in_the_body",
    "deep JSON": f"{_RECEIVER}/test_otlp_json.py::test_a_nesting_bomb_is_refused",
    "deep protobuf": f"{_RECEIVER}/test_hostile_shapes.py::test_too_deep_is_refused",
    "gzip bomb": "tests/ingest/test_otlp_http.py::test_a_decompression_bomb_is_too_large",
    "deflate bomb": _BOMB,
    "zstd bomb": _BOMB,
    "bodies without a key": _NO_KEY,
    "endless bodies without a key": _NO_KEY,
    "bodies of tiny chunks": "kit/server/tests/test_tiny_chunks.py::test_a_body_of_very_many_tiny_chunks_is_refused",
    "endless headers": _HEAD,
    "endless URLs": _HEAD,
    "huge gRPC headers": "tests/listeners/test_grpc_traffic.py::test_endless_headers_end_the_connection",
    "gRPC pings": "tests/listeners/test_grpc_limits.py::test_endless_pings_end_the_connection",
    "half-sent requests": "tests/listeners/test_http_limits.py::test_half_sent_requests_are_closed",
    "headers byte by byte": "tests/listeners/test_http_limits.py"
    "::test_headers_and_bodies_that_come_byte_by_byte_are_closed",
    "bodies byte by byte": f"{_RECEIVER}/test_stalled_sender.py"
    "::test_half_sent_requests_of_a_tenant_keep_only_its_part_of_a_full_port",
    "idle connections": "tests/listeners/test_grpc_limits.py::test_one_address_has_its_part_of_the_http_port",
    "idle gRPC connections": "tests/listeners/test_grpc_limits.py::test_one_address_has_its_part_of_the_grpc_port",
    "a flood of connections": "tests/listeners/test_descriptors.py::test_idle_and_half_sent_requests_lock_nobody_out",
    "a flood over the rate": "tests/ingest/test_limits.py::test_over_its_rate_a_tenant_gets_the_time_to_retry",
    "wrong ingest keys": _KEYS,
    "wrong query keys": "backend/tests/test_access_log.py"
    "::test_refused_bodies_have_a_line_and_wrong_keys_in_them_are_delayed_by_address",
    "expensive searches": "tests/api/test_too_much.py"
    "::test_one_search_runs_one_waits_for_its_place_and_the_next_is_refused",
    "changes": "tests/api/test_alerts.py::test_a_key_that_changes_rules_all_the_time_is_slowed_down",
    "scrapes": "kit/tests/test_ops.py::test_scrapes_at_the_same_time_share_texts_that_are_not_older_than_they_are",
    "scrapes in made-up forms": "kit/tests/test_ops.py::test_made_up_versions_in_the_header_do_not_make_further_texts",
    "exports": "backend/export/tests/test_places.py::test_the_last_places_are_for_tenants_without_an_export",
    "tails": "tests/faults/test_tails.py::test_there_are_so_many_tails_of_a_tenant",
    "tails of different queries": "backend/tail/tests/test_live_limits.py"
    "::test_a_message_of_large_records_takes_little_memory_in_many_tails",
    "a huge URL": _HEAD,
    "a path of many folders": "backend/ui/tests/test_files.py"
    "::test_a_path_that_is_longer_than_any_file_name_is_not_looked_up",
    "many parameters": "kit/tests/test_api_telemetry.py::test_no_span_is_made_of_too_many_parameters",
    "a huge query": "backend/tests/test_access_log.py"
    "::test_refused_bodies_have_a_line_and_wrong_keys_in_them_are_delayed_by_address",
    "stars": "backend/language/tests/test_refusals.py::test_refused_where_it_is_wrong",
    "a deep query": "backend/language/tests/test_refusals.py::test_refused_where_it_is_wrong",
}
"""Test that makes a small version of the attack, by the attack's name."""


def test_every_attack_has_a_small_version() -> None:
    assert SMALL.keys() == {attack.name for attack in ATTACKS}


def test_the_small_versions_are_there() -> None:
    assert [test for test in SMALL.values() if not _is_there(*test.split("::"))] == []


def _is_there(path: str, name: str) -> bool:
    """Returns whether a file of the repository defines the test."""
    return re.search(rf"^(async )?def {name}\(", (PACKAGES / path).read_text(), re.MULTILINE) is not None
