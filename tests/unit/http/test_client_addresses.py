from ipaddress import ip_address, ip_network

import pytest

from adsvc.kit.addresses import both_ways, client_network, unmapped
from adsvc.settings import load_settings


def test_an_ipv4_address_in_ipv6_counts_as_itself() -> None:
    for written, meant in (
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::FFFF:192.0.2.7", "192.0.2.7"),
        ("::ffff:c000:207", "192.0.2.7"),
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::1"),
        ("::ffff:nonsense", "::ffff:nonsense"),
        ("unknown", "unknown"),
    ):
        assert unmapped(written) == meant


def test_a_household_has_a_64th_of_ipv6() -> None:
    assert client_network("192.0.2.7") == client_network("::ffff:192.0.2.7") == "192.0.2.7"
    assert client_network("2001:db8::1") == client_network("2001:db8::ffff:1") == "2001:db8::"
    assert client_network("2001:db8:0:1::1") != client_network("2001:db8::1")
    assert client_network("fe80::1%eth0") == "fe80::"
    assert client_network("un:known") == "un:known"


def test_trusted_proxies_are_the_same_however_they_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for written in ("10.0.0.0/8,192.0.2.1", "::ffff:10.0.0.0/104, ::ffff:192.0.2.1"):
        monkeypatch.setenv("ADSVC_TRUSTED_PROXIES", written)
        settings = load_settings()
        assert settings.trusted_proxies == ("10.0.0.0/8", "192.0.2.1/32")
        networks = [ip_network(text) for text in settings.trusted_networks]
        for address in ("10.1.2.3", "::ffff:10.1.2.3", "::ffff:192.0.2.1"):
            assert any(ip_address(address) in network for network in networks)
    # One that is wider than all of IPv4 is what it says.
    monkeypatch.setenv("ADSVC_TRUSTED_PROXIES", "::/0")
    assert load_settings().trusted_proxies == ("::/0",)
    assert list(both_ways(["2001:db8::/32"])) == ["2001:db8::/32"]
