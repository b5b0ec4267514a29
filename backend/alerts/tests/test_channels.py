"""Tests which channels of a rule are accepted."""

import pytest

from backend.alerts.channels import Channel, ChannelKind, check_channel
from kit.errors import InvalidRequest


@pytest.mark.parametrize("host", ["a..b", f"{'a' * 64}.example", "example.com.."])
def test_a_host_that_no_name_server_can_have_is_refused(host: str) -> None:
    with pytest.raises(InvalidRequest, match=r"channels\.url"):
        check_channel(Channel(ChannelKind.webhook, f"https://{host}/hook"), has_mail=False)


@pytest.mark.parametrize("host", ["[v1.x:y.evil.example]", r"a\b", "a%2eb", "a,b"])
def test_a_host_with_characters_that_no_name_has_is_refused(host: str) -> None:
    with pytest.raises(InvalidRequest, match=r"channels\.url"):
        check_channel(Channel(ChannelKind.webhook, f"https://{host}/hook"), has_mail=False)


@pytest.mark.parametrize("host", ["127.1", "2130706433", "127.0.0.1.", "0177.0.0.1"])
def test_a_number_that_is_no_whole_address_is_refused(host: str) -> None:
    with pytest.raises(InvalidRequest, match=r"channels\.url"):
        check_channel(Channel(ChannelKind.webhook, f"https://{host}/hook"), has_mail=False)


@pytest.mark.parametrize(
    "host", ["example.com", "example.com.", "localhost", "10.0.0.1", "[::1]:8080", "1.example", "host-1", "a_b.example"]
)
def test_other_hosts_are_accepted(host: str) -> None:
    check_channel(Channel(ChannelKind.webhook, f"https://{host}/hook"), has_mail=False)


def test_headers_of_a_channel_have_a_size_together() -> None:
    headers = tuple((f"X-{number}", "v" * 1_000) for number in range(5))
    check_channel(Channel(ChannelKind.webhook, "https://example.com", headers[:3]), has_mail=False)
    with pytest.raises(InvalidRequest, match="at most 4,000"):
        check_channel(Channel(ChannelKind.webhook, "https://example.com", headers), has_mail=False)


@pytest.mark.parametrize("recipient", ["ops@example.com", "a=b?c@example.com"])
def test_recipients_are_addresses(recipient: str) -> None:
    check_channel(Channel(ChannelKind.email, recipients=(recipient,)), has_mail=True)


@pytest.mark.parametrize("recipient", ["ops", "=?utf-8?q?ops?=@example.com", "=?utf-8?q?a=40b=2C_?=@example.com"])
def test_a_recipient_that_would_become_another_address_is_refused(recipient: str) -> None:
    with pytest.raises(InvalidRequest, match=r"channels\.recipients"):
        check_channel(Channel(ChannelKind.email, recipients=(recipient,)), has_mail=True)
