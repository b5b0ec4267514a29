import pytest

from kit.networks import Networks


@pytest.mark.parametrize(
    ("address", "inside"),
    [
        ("10.1.2.3", True),
        ("10.2.0.1", False),
        ("192.168.0.7", True),
        ("192.168.0.8", False),
        ("fd00::1", True),
        ("::ffff:10.1.2.3", True),
        ("::ffff:10.2.0.1", False),
        ("fe80::1", False),
        ("nobody", False),
        ("", False),
    ],
)
def test_networks_contain_their_addresses(address: str, inside: bool) -> None:
    assert (address in Networks.parse("10.1.0.0/16, 192.168.0.7,, fd00::/8")) is inside


def test_no_text_names_no_network() -> None:
    assert not Networks.parse(" , ")
    assert "10.1.2.3" not in Networks.parse("")
