"""Switches a log table to another index profile in a process of its own, and writes a line for each progress.

Arguments: port of the engine, table, profile.
"""

import sys

import clickhouse_connect

from kit.clock import SystemClock
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.switch_profile import Progress, switch_profile


def write_line(progress: Progress) -> None:
    sys.stdout.write(f"{progress}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    port, table, profile = sys.argv[1:]
    client = clickhouse_connect.get_client(host="127.0.0.1", port=int(port), autogenerate_session_id=False)
    switch_profile(client, table, Profile(profile), SystemClock(), write_line)
